import { writeEnvelope } from "../../wire/amqp/message/encode-message.ts";
import type { BesidesSections } from "../../wire/amqp/message/kept-envelope.ts";
import type { MessageState } from "../../core/engine/delivery.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { DeadLetterMark } from "../policy/dead-letter.ts";
import { type Part, parts } from "../policy/entities.ts";
import type { StoredMessage } from "../memory/store.ts";
import { FactReader } from "./fact-reader.ts";
import type { FactWriter } from "./fact-writer.ts";

/** The part of this name. */
export const partNamed = (name: string): Part => parts.find((part) => part === name) ?? "messages";

const states: readonly MessageState[] = ["active", "deferred", "scheduled"];

/** The members of a message that change while it stays in its queue. */
export type Status = Pick<StoredMessage, "state" | "delivered" | "deliveryCount">;

/** The status as one whole number: the state in two bits, whether it is delivered in one, then the count. */
export const packStatus = ({ state, delivered, deliveryCount }: Status): number =>
  deliveryCount * 8 + (delivered ? 4 : 0) + states.indexOf(state);

export function unpackStatus(packed: number): Status {
  const state = states[packed % 4] ?? "active";
  return { state, delivered: packed % 8 >= 4, deliveryCount: Math.floor(packed / 8) };
}

const has = { number: 1, mark: 2, timeToLive: 4, value: 8, sequence: 16, session: 32 } as const;

/** Writes a message's row: the length and the broker's bookkeeping, then the message's own sections. */
export function writeMessageRow(
  writer: FactWriter,
  message: StoredMessage,
  besides: BesidesSections,
  envelope: Envelope,
): void {
  writer.within(() => writeHead(writer, message, besides));
  writeEnvelope(writer, envelope);
}

function writeHead(writer: FactWriter, message: StoredMessage, besides: BesidesSections): void {
  const { enqueuedSequenceNumber, deadLetter, sessionId } = message;
  const { timeToLive, bodyKind } = besides;
  writer.byte(
    (enqueuedSequenceNumber === undefined ? 0 : has.number) |
      (deadLetter === undefined ? 0 : has.mark) |
      (timeToLive === undefined ? 0 : has.timeToLive) |
      (sessionId === undefined ? 0 : has.session) |
      (bodyKind === "value" ? has.value : bodyKind === "sequence" ? has.sequence : 0),
  );
  writer.byte(parts.indexOf(message.part));
  writer.byte(message.partition);
  writer.number(message.ordinal);
  writer.number(message.enqueuedAt);
  writer.number(message.expiresAt);
  writer.number(message.dueAt);
  writer.number(message.size);
  if (enqueuedSequenceNumber !== undefined) writer.bigint(enqueuedSequenceNumber);
  if (deadLetter !== undefined) writeMark(writer, deadLetter);
  if (timeToLive !== undefined) writer.number(timeToLive);
  if (sessionId !== undefined) writer.string(sessionId);
}

/** The head of a row: everything but the message's sections. */
export const headOf = (row: Uint8Array): Uint8Array => new FactReader(row).bytes();

/** The sections of a row, after its head. */
export function sectionsOf(row: Uint8Array): Uint8Array {
  const reader = new FactReader(row);
  reader.bytes();
  return reader.rest();
}

/** A row's head. */
export interface MessageHead {
  readonly message: StoredMessage;
  readonly besides: BesidesSections;
}

export function readHead(head: Uint8Array, record: number, entity: number, status: Status): MessageHead {
  const reader = new FactReader(head);
  const flags = reader.byte();
  const part = parts[reader.byte()] ?? "messages";
  const partition = reader.byte();
  const ordinal = reader.number();
  const enqueuedAt = reader.number();
  const expiresAt = reader.number();
  const dueAt = reader.number();
  const size = reader.number();
  const enqueuedSequenceNumber = (flags & has.number) === 0 ? undefined : reader.bigint();
  const deadLetter = (flags & has.mark) === 0 ? undefined : readMark(reader);
  const timeToLive = (flags & has.timeToLive) === 0 ? undefined : reader.number();
  const sessionId = (flags & has.session) === 0 ? undefined : reader.text();
  const message: StoredMessage = {
    record,
    entity,
    part,
    partition,
    ordinal,
    state: status.state,
    delivered: status.delivered,
    deliveryCount: status.deliveryCount,
    enqueuedAt,
    expiresAt,
    dueAt,
    enqueuedSequenceNumber,
    deadLetter,
    size,
    sessionId,
  };
  const bodyKind = (flags & has.value) !== 0 ? "value" : (flags & has.sequence) !== 0 ? "sequence" : undefined;
  return { message, besides: { timeToLive, bodyKind } };
}

const markFields = ["reason", "description", "source"] as const;

function writeMark(writer: FactWriter, mark: DeadLetterMark): void {
  for (const field of markFields) {
    const text = mark[field];
    writer.byte(text === undefined ? 0 : 1);
    if (text !== undefined) writer.string(text);
  }
}

function readMark(reader: FactReader): DeadLetterMark {
  const text = (): string | undefined => (reader.byte() === 0 ? undefined : reader.text());
  return { reason: text(), description: text(), source: text() };
}
