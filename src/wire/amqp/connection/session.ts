import type { ByteReader } from "../../../core/amqp-values/byte-reader.ts";
import type { DeliveryState } from "./delivery-state.ts";
import { DispositionRun } from "./disposition-run.ts";
import type { FrameReader } from "./frame-reader.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { LinkTable, type LinkTableEvents } from "./link-table.ts";
import type { DirectMessage, Outgoing, OutgoingDelivery, OutgoingLink } from "./outgoing.ts";
import { OutgoingWindow } from "./outgoing-window.ts";
import {
  type AttachPerformative,
  type Begin,
  code,
  type Detach,
  type Flow,
  type TransferPerformative,
} from "./performative.ts";
import type { ConnectionPort, SessionPort, WindowPort } from "./ports.ts";
import {
  readAttach,
  readBegin,
  readDetach,
  readDisposition,
  readEnding,
  readFlow,
  readTransfer,
} from "./read-performative.ts";
import { ReceivingLink } from "./receiving-link.ts";
import { SendingLink } from "./sending-link.ts";
import { plus } from "./serial.ts";
import { SingleFrameDisposition, SingleFrameTransfer } from "./single-frame.ts";
import { type WireError, WireFault } from "./wire-fault.ts";

/** How many frames with messages a peer may send ahead. */
const incomingWindow = 5000;

const singleFrameTransfer = new SingleFrameTransfer();
const singleFrameDisposition = new SingleFrameDisposition();

/** One session of a connection: its links, and the order and windows of what they transfer (AMQP 1.0 part 2.5). */
export class AmqpSession implements SessionPort, WindowPort {
  readonly connection: ConnectionPort;
  /** This side's channel. */
  readonly channel: number;
  readonly links: LinkTable;
  readonly #outgoing: OutgoingWindow;
  /** None until there is one, since most sessions are idle. */
  #run: DispositionRun | undefined;
  #state: "asking" | "running" | "ending" | "over" = "asking";
  #isUnwanted = false;
  #nextIncomingId = 0;
  #flushAwaited = false;
  /** Whether it is the peer's. */
  #isCharged = false;
  #incomingWindow = incomingWindow;

  constructor(connection: ConnectionPort, channel: number, events: LinkTableEvents) {
    this.connection = connection;
    this.channel = channel;
    this.links = new LinkTable(this, events);
    this.#outgoing = new OutgoingWindow(this);
  }

  get frames(): FrameWriter {
    return this.connection.frames;
  }

  /** Whether a message can go out without waiting for room at the peer. */
  get canSend(): boolean {
    return this.#state === "running" && this.#outgoing.open && this.connection.writable;
  }

  /** How many frames with messages can go out without waiting. */
  get room(): number {
    return this.canSend ? this.#outgoing.room : 0;
  }

  /** Begins the session: answers the peer's begin, or sends one. @throws WireFault when it has too many. */
  begin(remote?: { readonly channel: number; readonly begin: Begin }): void {
    if (remote !== undefined) {
      this.connection.budget.addSession();
      this.#isCharged = true;
    }
    this.frames.begin(this.channel, {
      remoteChannel: remote?.channel,
      nextOutgoingId: 0,
      incomingWindow,
      outgoingWindow: 0xffff_ffff,
      handleMax: this.connection.limits.handleMax,
    });
    if (remote !== undefined) this.began(remote.begin);
  }

  /** The peer's begin. */
  began(begin: Begin): void {
    this.#state = "running";
    this.#nextIncomingId = begin.nextOutgoingId;
    this.#outgoing.remoteBegan(begin);
    if (this.#isUnwanted) this.end();
  }

  /** Handles a frame of this session. @throws WireFault */
  received(descriptor: number, reader: ByteReader): void {
    // Frames between this side's end and the peer's are ignored.
    if (this.#state === "ending") {
      if (descriptor === code.end) this.finish(undefined);
      if (descriptor === code.transfer) this.connection.ignored(readTransfer(reader).state);
      if (descriptor === code.disposition) this.connection.ignored(readDisposition(reader).state);
      return;
    }
    switch (descriptor) {
      case code.transfer:
        return this.#transfer(reader);
      case code.disposition:
        return this.#disposition(reader);
      case code.flow:
        return this.#flow(readFlow(reader));
      case code.attach:
        return this.links.attached(readAttach(reader));
      case code.detach:
        return this.links.detached(readDetach(reader));
      case code.end: {
        const error = readEnding(reader);
        this.#run?.flush();
        this.finish(error);
        this.frames.end(this.channel, undefined);
        return;
      }
      case code.begin:
        readBegin(reader);
        throw new WireFault("amqp:illegal-state", "A session was begun twice on the same channel.");
      default:
        throw new WireFault("amqp:not-implemented", `No frame of a session has the descriptor ${descriptor}.`);
    }
  }

  /** Handles a frame with a whole message or one that accepts or releases deliveries; false when it is another. @throws WireFault */
  singleFrame(descriptor: number, frame: FrameReader): boolean {
    if (this.#state !== "running") return false;
    if (descriptor === code.transfer) return this.#message(frame);
    if (!singleFrameDisposition.read(frame)) return false;
    this.#outgoing.ended(singleFrameDisposition);
    return true;
  }

  #message(frame: FrameReader): boolean {
    if (!singleFrameTransfer.read(frame)) return false;
    const link = this.links.find(singleFrameTransfer.handle);
    if (!(link instanceof ReceivingLink) || link.state !== "attached" || link.busy) return false;
    this.#countTransfer();
    link.took(singleFrameTransfer, frame);
    if (this.#incomingWindow * 2 < incomingWindow) this.writeFlow({});
    return true;
  }

  /** Whether this side has ended it: the peer would not know about anything that follows. */
  get #isEnded(): boolean {
    return this.#state === "over" || this.#state === "ending";
  }

  /** Ends the session because of an error on either side; if its begin has not been answered, as soon as it is. */
  end(error?: WireError): void {
    this.#isUnwanted ||= this.#state === "asking";
    if (this.#state !== "running") return;
    this.#state = "ending";
    this.#run?.flush();
    this.links.end(error);
    this.frames.end(this.channel, error);
  }

  /** The session is over, with its links. */
  finish(error: WireError | undefined): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.links.end(error);
    if (this.#isCharged) this.connection.budget.removeSession();
    this.connection.forget(this.channel);
  }

  /** Writes what was held back. */
  flush(): void {
    this.#flushAwaited = false;
    this.#run?.flush();
  }

  /** The peer has no room for more: links that wait for messages must not take any from their entity. */
  exhausted(): void {
    for (const link of this.links) if (link instanceof SendingLink && link.state === "attached") link.events?.flowed();
  }

  /** The connection takes output again. */
  resume(): void {
    for (const link of this.links) if (link instanceof SendingLink && link.ready) link.events?.flowed();
  }

  writeAttach(attach: AttachPerformative): void {
    if (this.#isEnded) return;
    this.frames.attach(this.channel, attach);
  }

  writeDetach(detach: Detach): void {
    if (this.#isEnded) return;
    this.#run?.flush();
    this.frames.detach(this.channel, detach);
  }

  writeFlow(link: Partial<Flow>): void {
    if (this.#isEnded) return;
    // A request for more is sent after the outcomes of earlier messages.
    this.#run?.flush();
    this.#incomingWindow = incomingWindow;
    this.frames.flow(this.channel, {
      ...link,
      nextIncomingId: this.#nextIncomingId,
      incomingWindow,
      nextOutgoingId: this.#outgoing.nextId,
      outgoingWindow: 0xffff_ffff,
    });
  }

  send(link: OutgoingLink, outgoing: Outgoing): OutgoingDelivery {
    return this.#outgoing.send(link, outgoing);
  }

  sendDirect(link: OutgoingLink, message: DirectMessage): void {
    this.#outgoing.sendDirect(link, message);
  }

  settleOutgoing(delivery: OutgoingDelivery, state: DeliveryState): void {
    if (this.#state !== "running") return;
    this.#outgoing.forget(delivery.id);
    this.#settle("sender", delivery.id, state);
  }

  settleIncoming(id: number, state: DeliveryState): void {
    if (this.#state === "running") this.#settle("receiver", id, state);
  }

  requestSettlement(id: number, state: DeliveryState): void {
    if (this.#state === "running") this.#settle("receiver", id, state, false);
  }

  #settle(role: "sender" | "receiver", id: number, state: DeliveryState, settled = true): void {
    this.#run ??= new DispositionRun((disposition) => this.frames.disposition(this.channel, disposition));
    this.#run.add(role, id, state, settled);
    if (this.#flushAwaited) return;
    this.#flushAwaited = true;
    this.connection.flushLater(this.channel);
  }

  #transfer(reader: ByteReader): void {
    const transfer = readTransfer(reader);
    try {
      this.#take(transfer, reader.bytes.subarray(reader.at));
    } catch (error) {
      this.connection.ignored(transfer.state);
      throw error;
    }
    if (this.#incomingWindow * 2 < incomingWindow) this.writeFlow({});
  }

  #take(transfer: TransferPerformative, payload: Uint8Array): void {
    this.#countTransfer();
    const link = this.links.byRemoteHandle(transfer.handle);
    if (link.state === "attached") {
      if (!(link instanceof ReceivingLink))
        throw new WireFault("amqp:not-allowed", "A message arrived at the sending end of a link.", "session");
      link.transferred(transfer, payload);
    } else if (link.state === "asked")
      throw new WireFault("amqp:link:transfer-limit-exceeded", "A message arrived without credit.", "session");
    else this.connection.ignored(transfer.state);
  }

  #countTransfer(): void {
    this.#nextIncomingId = plus(this.#nextIncomingId, 1);
    if (--this.#incomingWindow < 0)
      throw new WireFault(
        "amqp:session:window-violation",
        "More frames arrived than the session window allows.",
        "session",
      );
  }

  #flow(flow: Flow): void {
    const wasOpen = this.#outgoing.open;
    this.#outgoing.remoteFlowed(flow);
    if (flow.handle !== undefined) this.links.byRemoteHandle(flow.handle).flowed(flow);
    else if (flow.echo === true) this.writeFlow({});
    // Nothing was waiting if there was room before.
    if (!wasOpen) this.resume();
  }

  #disposition(reader: ByteReader): void {
    const disposition = readDisposition(reader);
    if (disposition.role === "receiver") {
      this.#outgoing.disposed(disposition);
      return;
    }
    for (const link of this.links) if (link instanceof ReceivingLink) link.events?.confirmed?.(disposition);
  }
}
