import { ByteWriter } from "../../../core/amqp-values/byte-writer.ts";
import { writeUint } from "../../../core/amqp-values/write-number.ts";
import type { DeliveryState, DeliveryOutcome } from "./delivery-state.ts";
import { FieldWriter } from "../../../core/amqp-values/field-writer.ts";
import type { DirectMessage } from "./outgoing.ts";
import {
  type AttachPerformative,
  type Begin,
  type Detach,
  type Disposition,
  type Flow,
  type OpenPerformative,
  type Terminus,
  type TransferPerformative,
  code,
} from "./performative.ts";
import type { WireError } from "./wire-fault.ts";

/** The minimum and maximum size of the buffer that is kept for writing. */
const smallest = 4096;
const largest = 128 * 1024;

/** Writes frames one after another. */
export class FrameWriter {
  readonly #writer = new ByteWriter(smallest);
  /** Expected bytes of the next turn. */
  #expected = smallest;

  /** Bytes written but not yet taken. */
  get size(): number {
    return this.#writer.mark();
  }

  /** The bytes written since the last call; they are not overwritten unless {@link reuse} allows it. */
  take(): Uint8Array {
    const bytes = this.#writer.take();
    // Growing copies, so it allocates as much as the last turn needed.
    this.#expected = Math.min(largest, Math.max(smallest, bytes.byteLength + (bytes.byteLength >> 2)));
    return bytes;
  }

  /** Marks the bytes of the last {@link take} as copied, so that they may be overwritten. */
  reuse(): void {
    if (this.size > 0) return;
    this.#writer.at = 0;
    this.#writer.start = 0;
  }

  protocolHeader(protocol: number): void {
    this.#writer.raw(Uint8Array.of(0x41, 0x4d, 0x51, 0x50, protocol, 1, 0, 0));
  }

  /** A heartbeat frame. */
  empty(): void {
    this.#end(this.#begin(0, 0));
  }

  saslMechanisms(mechanisms: readonly string[]): void {
    const mark = this.#begin(1, 0);
    const fields = FieldWriter.described(this.#writer, code.saslMechanisms);
    const writer = fields.next();
    const array = writer.open();
    writer.byte(0xb3);
    for (const mechanism of mechanisms) {
      writer.reserve(4);
      writer.put32(mechanism.length);
      writer.raw(Buffer.from(mechanism, "latin1"));
    }
    writer.close(array, 0xe0, mechanisms.length);
    fields.end();
    this.#end(mark);
  }

  saslInit(mechanism: string, initialResponse: Uint8Array | undefined, hostname: string | undefined): void {
    this.#fields(1, 0, code.saslInit, (fields) => {
      fields.symbol(mechanism);
      fields.binary(initialResponse);
      fields.string(hostname);
    });
  }

  saslOutcome(outcome: number): void {
    this.#fields(1, 0, code.saslOutcome, (fields) => {
      fields.ubyte(outcome);
    });
  }

  open(open: OpenPerformative): void {
    this.#fields(0, 0, code.open, (fields) => {
      fields.string(open.containerId);
      fields.string(open.hostname);
      fields.uint(open.maxFrameSize);
      fields.ushort(open.channelMax);
      fields.uint(open.idleTimeOut);
      for (let field = 0; field < 4; field++) fields.none();
      fields.map(open.properties);
    });
  }

  begin(channel: number, begin: Begin): void {
    this.#fields(0, channel, code.begin, (fields) => {
      fields.ushort(begin.remoteChannel);
      fields.uint(begin.nextOutgoingId);
      fields.uint(begin.incomingWindow);
      fields.uint(begin.outgoingWindow);
      fields.uint(begin.handleMax);
    });
  }

  attach(channel: number, attach: AttachPerformative): void {
    this.#fields(0, channel, code.attach, (fields) => {
      fields.string(attach.name);
      fields.uint(attach.handle);
      fields.boolean(attach.role === "receiver");
      fields.ubyte(attach.sndSettleMode);
      fields.ubyte(attach.rcvSettleMode);
      writeTerminus(fields, attach.source);
      writeTerminus(fields, attach.target);
      fields.none();
      fields.none();
      fields.uint(attach.initialDeliveryCount);
      fields.ulong(attach.maxMessageSize);
      fields.none();
      fields.none();
      fields.map(attach.properties);
    });
  }

  flow(channel: number, flow: Flow): void {
    this.#fields(0, channel, code.flow, (fields) => {
      fields.uint(flow.nextIncomingId);
      fields.uint(flow.incomingWindow);
      fields.uint(flow.nextOutgoingId);
      fields.uint(flow.outgoingWindow);
      fields.uint(flow.handle);
      fields.uint(flow.deliveryCount);
      fields.uint(flow.linkCredit);
      fields.uint(flow.available);
      fields.boolean(flow.drain);
      fields.boolean(flow.echo);
    });
  }

  /**
   * Writes one frame with as much of the payload, from `from` on, as fits.
   *
   * @returns The offset at which the next frame continues; the payload's length when all of it is written.
   */
  transfer(channel: number, transfer: Omit<TransferPerformative, "more">, part: PayloadPart): number {
    const { payload, from, maxFrameSize } = part;
    // The fields of a transfer never need more than this plus its tag.
    const room = maxFrameSize - 8 - 64 - (transfer.deliveryTag?.byteLength ?? 0) - stateRoom(transfer.state);
    const to = Math.min(payload.byteLength, from + room);
    const mark = this.#begin(0, channel);
    const fields = FieldWriter.described(this.#writer, code.transfer);
    fields.uint(transfer.handle);
    fields.uint(transfer.deliveryId);
    fields.binary(transfer.deliveryTag);
    fields.uint(transfer.messageFormat);
    fields.boolean(transfer.settled);
    fields.boolean(to < payload.byteLength ? true : undefined);
    fields.none();
    if (transfer.state === undefined) fields.none();
    else writeState(fields.next(), transfer.state);
    fields.none();
    fields.boolean(transfer.aborted ? true : undefined);
    fields.end();
    this.#writer.raw(from === 0 && to === payload.byteLength ? payload : payload.subarray(from, to));
    this.#end(mark);
    return to;
  }

  /**
   * Writes one frame with a whole message that writes itself; false, with nothing written, if it does not fit.
   *
   * @throws Whatever the message throws, with nothing written.
   */
  message(
    channel: number,
    { handle, deliveryId }: Pick<TransferPerformative, "handle"> & { readonly deliveryId: number },
    message: DirectMessage,
    maxFrameSize: number,
  ): boolean {
    const writer = this.#writer;
    const mark = this.#begin(0, channel);
    let fits = false;
    try {
      writer.reserve(64);
      const list = writer.at + 3;
      writer.put32(0x0053_14c0);
      writer.at = list + 3;
      writeUint(writer, handle);
      writer.code32(0x70, deliveryId);
      message.writeTag(writer);
      const { bytes } = writer;
      bytes[writer.at++] = 0x43;
      bytes[writer.at++] = message.settled ? 0x41 : 0x42;
      bytes[list + 1] = writer.at - list - 2;
      bytes[list + 2] = 5;
      message.write(writer);
      fits = writer.mark() - mark <= maxFrameSize;
    } finally {
      if (!fits) writer.at = writer.start + mark;
    }
    if (fits) this.#end(mark);
    return fits;
  }

  disposition(channel: number, disposition: Disposition): void {
    const { role, first, last, settled, state } = disposition;
    const mark = this.#begin(0, channel);
    const fields = FieldWriter.described(this.#writer, code.disposition);
    fields.boolean(role === "receiver");
    fields.uint(first);
    fields.uint(last === first ? undefined : last);
    fields.boolean(settled);
    if (state !== undefined) writeState(fields.next(), state);
    fields.end();
    this.#end(mark);
  }

  detach(channel: number, { handle, closed, error }: Detach): void {
    this.#fields(0, channel, code.detach, (fields) => {
      fields.uint(handle);
      fields.boolean(closed);
      writeError(fields, error);
    });
  }

  end(channel: number, error: WireError | undefined): void {
    this.#ending(code.end, channel, error);
  }

  close(error: WireError | undefined): void {
    this.#ending(code.close, 0, error);
  }

  #ending(descriptor: number, channel: number, error: WireError | undefined): void {
    this.#fields(0, channel, descriptor, (fields) => {
      writeError(fields, error);
    });
  }

  /** Writes a frame whose body is a list of fields. */
  #fields(type: number, channel: number, descriptor: number, write: (fields: FieldWriter) => void): void {
    const mark = this.#begin(type, channel);
    const fields = FieldWriter.described(this.#writer, descriptor);
    write(fields);
    fields.end();
    this.#end(mark);
  }

  #begin(type: number, channel: number): number {
    const writer = this.#writer;
    writer.reserve(writer.at === writer.start ? this.#expected : 8);
    const mark = writer.mark();
    writer.at += 4;
    writer.put32(0x0200_0000 | (type << 16) | channel);
    return mark;
  }

  #end(mark: number): void {
    const writer = this.#writer;
    const end = writer.at;
    const begin = writer.start + mark;
    writer.at = begin;
    writer.put32(end - begin);
    writer.at = end;
  }
}

/** The bytes of a message that go into a frame, and the frame's maximum size. */
export interface PayloadPart {
  readonly payload: Uint8Array;
  readonly from: number;
  readonly maxFrameSize: number;
}

const stateRoom = (state: DeliveryState | undefined): number => (state === undefined ? 0 : 64);

/** Writes a source or target, or none. */
function writeTerminus(fields: FieldWriter, terminus: Terminus | undefined): void {
  if (terminus === undefined) return fields.none();
  const inner = FieldWriter.described(fields.next(), code[terminus.kind]);
  inner.string(terminus.address);
  const { distributionMode, filter } = terminus;
  if (distributionMode !== undefined || filter !== undefined) {
    for (let field = 0; field < 5; field++) inner.none();
    if (distributionMode === undefined) inner.none();
    else inner.symbol(distributionMode);
  }
  if (filter !== undefined) inner.map(filter);
  inner.end();
}

/** Writes an error with each of its fields, which the official Python client reads by their places, or none. */
function writeError(fields: FieldWriter, error: WireError | undefined): void {
  if (error === undefined) return fields.none();
  const inner = FieldWriter.described(fields.next(), code.error);
  inner.symbol(error.condition);
  inner.string(error.description);
  if (error.info === undefined) inner.next().byte(0x40);
  else inner.map(error.info);
  inner.end();
}

/** Writes the state of a delivery. */
function writeState(writer: ByteWriter, state: DeliveryState): void {
  if (state.kind === "transactional") {
    const fields = FieldWriter.described(writer, code.transactionalState);
    fields.binary(state.transactionId);
    if (state.outcome !== undefined) writeOutcome(fields.next(), state.outcome);
    return fields.end();
  }
  if (state.kind !== "received") writeOutcome(writer, state);
}

function writeOutcome(writer: ByteWriter, outcome: DeliveryOutcome): void {
  const fields = FieldWriter.described(writer, code[outcome.kind]);
  switch (outcome.kind) {
    case "rejected":
      writeError(fields, outcome.error);
      break;
    case "modified":
      fields.boolean(outcome.deliveryFailed);
      fields.boolean(outcome.undeliverableHere);
      fields.map(outcome.annotations);
      break;
    case "declared":
      fields.binary(outcome.transactionId);
      break;
    case "accepted":
    case "released":
      break;
    default:
      outcome satisfies never;
  }
  fields.end();
}
