import type { DeliveryState } from "./delivery-state.ts";
import { AmqpLink, type LinkEvents, type LinkSetup } from "./link.ts";
import type { Disposition, Flow, TransferPerformative } from "./performative.ts";
import type { FrameReader } from "./frame-reader.ts";
import { plus } from "./serial.ts";
import type { SessionPort } from "./ports.ts";
import type { SingleFrameTransfer } from "./single-frame.ts";
import { type WireError, WireFault } from "./wire-fault.ts";

/** A complete incoming message. */
export interface IncomingDelivery {
  readonly id: number;
  readonly tag: Uint8Array;
  /** Bytes that belong to the receiver and are never overwritten. */
  readonly payload: Uint8Array;
  readonly messageFormat: number;
  readonly settled: boolean;
  readonly state: DeliveryState | undefined;
}

/** Callbacks of a receiving link. */
export interface ReceivingLinkEvents extends LinkEvents {
  readonly delivered: (delivery: IncomingDelivery) => void;
  /** A message above the maximum size was discarded. */
  readonly tooLarge?: ((id: number, settled: boolean, state: DeliveryState | undefined) => void) | undefined;
  /** The peer has settled deliveries of the session, as this side asked. */
  readonly confirmed?: ((disposition: Disposition) => void) | undefined;
  /** The peer has used up or returned all credit. */
  readonly drained?: (() => void) | undefined;
  /** The peer has sent a flow of the link. */
  readonly flowed?: (() => void) | undefined;
}

/** A delivery that came in one frame: a view of the received bytes if they hold little else, otherwise a copy. */
class WholeDelivery implements IncomingDelivery {
  readonly id: number;
  readonly payload: Uint8Array;
  readonly messageFormat: number;
  readonly settled: boolean;
  readonly state: undefined;
  readonly #tagSize: number;
  readonly #gap: number;

  constructor(
    { deliveryId, messageFormat, settled, tagAt, tagEnd, payloadAt }: SingleFrameTransfer,
    frame: FrameReader,
  ) {
    this.id = deliveryId;
    this.messageFormat = messageFormat;
    this.settled = settled;
    this.#tagSize = tagEnd - tagAt;
    // The tag lies just before the payload: it is taken from the same bytes when it is first read.
    this.#gap = payloadAt - tagAt;
    const { bytes, end } = frame;
    const size = end - payloadAt;
    if (frame.dense) {
      this.payload = new Uint8Array(bytes.buffer, bytes.byteOffset + payloadAt, size);
      return;
    }
    const own = Buffer.allocUnsafe(end - tagAt);
    own.set(bytes.subarray(tagAt, end));
    this.payload = new Uint8Array(own.buffer, own.byteOffset + payloadAt - tagAt, size);
  }

  get tag(): Uint8Array {
    const { buffer, byteOffset } = this.payload;
    return new Uint8Array(buffer, byteOffset - this.#gap, this.#tagSize);
  }
}

/** A delivery whose last frame has not arrived. */
interface Partial {
  readonly first: TransferPerformative & { readonly deliveryId: number };
  readonly parts: Uint8Array[];
  /** The free space after the last part. */
  room: Uint8Array;
  size: number;
  /** Bytes counted in the budget of unfinished messages. */
  held: number;
  settled: boolean;
  state: DeliveryState | undefined;
}

/** The receiving end of a link. */
export class ReceivingLink extends AmqpLink {
  events: ReceivingLinkEvents | undefined;
  credit = 0;
  #deliveryCount = 0;
  #maxMessageSize = Infinity;
  #partial: Partial | undefined;
  #topUpTo = 0;

  constructor(session: SessionPort, identity: { readonly name: string; readonly handle: number }) {
    super(session, { ...identity, role: "receiver" });
  }

  /** Answers the peer's attach, or attaches on this side's own wish. */
  open(setup: LinkSetup, events: ReceivingLinkEvents): void {
    this.events = events;
    if (setup.maxMessageSize !== undefined && setup.maxMessageSize > 0n)
      this.#maxMessageSize = Number(setup.maxMessageSize);
    this.attach(setup, {});
  }

  /** Grants credit and keeps it from falling below half of it. */
  keepCredit(credit: number): void {
    this.#topUpTo = credit;
    this.grant(credit);
  }

  /** Sets the credit; with `drain`, the peer returns credit that it does not use immediately. */
  grant(credit: number, drain = false): void {
    this.credit = credit;
    if (this.state === "attached") this.#tell(drain);
  }

  /** Reports the outcome of a delivery to the peer. */
  settle(id: number, state: DeliveryState): void {
    this.session.settleIncoming(id, state);
  }

  /** Takes a frame of a delivery. @throws WireFault when the peer breaks the rules of deliveries. */
  transferred(transfer: TransferPerformative, payload: Uint8Array): void {
    const partial = this.#partial ?? this.#start(transfer);
    if (transfer.deliveryId !== undefined && transfer.deliveryId !== partial.first.deliveryId)
      throw new WireFault("amqp:invalid-field", "The delivery id changed between frames of a delivery.", "session");
    if (transfer.aborted) {
      partial.state = undefined;
      this.letGo();
      this.#topUp();
      return;
    }
    partial.size += payload.byteLength;
    if (partial.size > this.#maxMessageSize) this.#throwAway(partial);
    else if (transfer.more && !this.#hold(partial, payload)) return this.#refuseMore(tooManyUnfinished);
    else append(partial, payload);
    if (partial.size > this.#maxMessageSize * patience && transfer.more) return this.#refuseMore(tooLarge);
    if (transfer.settled !== undefined) partial.settled = transfer.settled;
    if (transfer.state !== undefined) partial.state = transfer.state;
    if (transfer.more) return;
    this.#partial = undefined;
    this.session.connection.budget.drop(partial.held);
    this.#finish(partial);
  }

  #hold(partial: Partial, payload: Uint8Array): boolean {
    if (!this.session.connection.budget.hold(payload.byteLength, partial.held)) return false;
    partial.held += payload.byteLength;
    return true;
  }

  #throwAway(partial: Partial): void {
    partial.parts.length = 0;
    this.session.connection.budget.drop(partial.held);
    partial.held = 0;
  }

  /** Detaches from a peer that keeps sending a message that cannot be accepted. */
  #refuseMore(error: WireError): void {
    this.detach(error);
    this.events?.detached(error);
  }

  protected override letGo(): void {
    if (this.#partial === undefined) return;
    this.session.connection.ignored(this.#partial.state);
    this.#throwAway(this.#partial);
    this.#partial = undefined;
  }

  /** Whether the last frame of a delivery is still missing. */
  get busy(): boolean {
    return this.#partial !== undefined;
  }

  /** Takes a message that came in one frame. @throws WireFault when there was no credit for it. */
  took(transfer: SingleFrameTransfer, frame: FrameReader): void {
    const { deliveryId, settled } = transfer;
    this.#useCredit();
    this.#topUp();
    if (frame.end - transfer.payloadAt > this.#maxMessageSize) {
      this.events?.tooLarge?.(deliveryId, settled, undefined);
      return;
    }
    this.events?.delivered(new WholeDelivery(transfer, frame));
  }

  flowed(flow: Flow): void {
    if (flow.deliveryCount !== undefined && flow.linkCredit !== undefined) {
      const used = (flow.deliveryCount - this.#deliveryCount) >>> 0;
      if (used > 0 && used <= this.credit) {
        this.#deliveryCount = flow.deliveryCount;
        this.credit -= used;
      }
      if (flow.drain === true || this.credit === 0) this.events?.drained?.();
    }
    if (flow.echo === true && this.state === "attached") this.#tell(false);
    this.events?.flowed?.();
  }

  /** Asks the peer for a flow of the link, which it sends once it has read everything until here. */
  askForFlow(): void {
    if (this.state === "attached") this.#tell(false, true);
  }

  protected override attachedNow(): void {
    this.#deliveryCount = this.remote?.initialDeliveryCount ?? 0;
    if (this.credit > 0) this.#tell(false);
  }

  #start(transfer: TransferPerformative): Partial {
    const { deliveryId } = transfer;
    if (deliveryId === undefined || transfer.deliveryTag === undefined)
      throw new WireFault("amqp:invalid-field", "The first frame of a delivery has no id or tag.", "session");
    if (transfer.deliveryTag.byteLength > maxTagLength)
      throw new WireFault("amqp:invalid-field", `A delivery has a tag of more than ${maxTagLength} bytes.`, "session");
    this.#useCredit();
    const first = { ...transfer, deliveryId };
    const partial: Partial = {
      first,
      parts: [],
      room: noDeliveryBytes,
      size: 0,
      held: 0,
      settled: false,
      state: undefined,
    };
    if (transfer.more) {
      this.#partial = { ...partial, first: { ...first, deliveryTag: transfer.deliveryTag.slice() } };
      return this.#partial;
    }
    return partial;
  }

  #topUp(): void {
    if (this.credit * 2 <= this.#topUpTo && this.#topUpTo > 0) this.grant(this.#topUpTo);
  }

  #useCredit(): void {
    if (this.credit === 0)
      throw new WireFault("amqp:link:transfer-limit-exceeded", "A message arrived without credit.", "session");
    this.credit--;
    this.#deliveryCount = plus(this.#deliveryCount, 1);
  }

  #finish({ first, parts, size, settled, state }: Partial): void {
    this.#topUp();
    if (size > this.#maxMessageSize) {
      this.events?.tooLarge?.(first.deliveryId, settled, state);
      return;
    }
    const [only] = parts;
    this.events?.delivered({
      id: first.deliveryId,
      tag: first.deliveryTag ?? noDeliveryBytes,
      payload: parts.length === 1 && only !== undefined ? only : Buffer.concat(parts),
      messageFormat: first.messageFormat ?? 0,
      settled,
      state,
    });
  }

  #tell(drain: boolean, echo = false): void {
    this.session.writeFlow({
      handle: this.handle,
      deliveryCount: this.#deliveryCount,
      linkCredit: this.credit,
      drain: drain ? true : undefined,
      echo: echo ? true : undefined,
    });
  }
}

const noDeliveryBytes = new Uint8Array(0);

/** How many times the maximum size a message may reach before its link is detached; up to that, the message is rejected. */
const patience = 2;

const tooLarge: WireError = {
  condition: "amqp:link:message-size-exceeded",
  description: "A message exceeds the link's maximum size by far.",
};
const tooManyUnfinished: WireError = {
  condition: "amqp:resource-limit-exceeded",
  description: "The connection has too many bytes of incomplete messages.",
};

/** Maximum bytes of a tag (AMQP 1.0 part 2.8.7). */
const maxTagLength = 32;

/** Bytes of a part that collects smaller ones. */
const smallPart = 4096;

/** The received chunk may be overwritten by the next read, and would keep more alive than the message. */
function append(partial: Partial, payload: Uint8Array): void {
  const { parts } = partial;
  // A message that arrives in pieces of a few bytes, or of none, must not take many times its size.
  if (parts.length === 0 || payload.byteLength >= smallPart) {
    parts.push(Buffer.from(payload));
    partial.room = noDeliveryBytes;
    return;
  }
  if (partial.room.byteLength < payload.byteLength) {
    partial.room = Buffer.alloc(smallPart);
    parts.push(partial.room.subarray(0, 0));
  }
  partial.room.set(payload);
  const last = parts[parts.length - 1] ?? noDeliveryBytes;
  parts[parts.length - 1] = new Uint8Array(
    partial.room.buffer,
    partial.room.byteOffset - last.byteLength,
    last.byteLength + payload.byteLength,
  );
  partial.room = partial.room.subarray(payload.byteLength);
}
