import type { MessageState } from "../../engine/delivery.ts";
import type { BodyKind } from "../../envelope/envelope.ts";
import type { DeadLetterMark } from "../memory/arrival.ts";
import type { Part, StoredMessage } from "../memory/store.ts";
import type { FactReader } from "./fact-reader.ts";
import type { FactWriter } from "./fact-writer.ts";

const parts: readonly Part[] = ["messages", "deadLetters", "transferDeadLetters"];
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

const has = { number: 1, mark: 2, timeToLive: 4, value: 8, sequence: 16 } as const;

/** Longer times to live do not fit into the header of an AMQP message. */
const longestInHeader = 0xffff_ffff;

/** An envelope's parts that the sections of an AMQP message do not always hold. */
export interface BesidesSections {
  readonly timeToLive?: number | undefined;
  /** Of a payload that is not what its kind says, and lies in a data section. */
  readonly bodyKind?: BodyKind | undefined;
}

/** The part of a message's row that stays as it is, in front of the message's own sections. */
export function writeMessageHead(writer: FactWriter, message: StoredMessage, besides: BesidesSections): void {
  const { enqueuedSequenceNumber, deadLetter } = message;
  const { timeToLive, bodyKind } = besides;
  const keepsTimeToLive = timeToLive !== undefined && timeToLive > longestInHeader;
  writer.byte(
    (enqueuedSequenceNumber === undefined ? 0 : has.number) |
      (deadLetter === undefined ? 0 : has.mark) |
      (keepsTimeToLive ? has.timeToLive : 0) |
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
  if (keepsTimeToLive) writer.number(timeToLive);
}

/** A row's head, behind which the reader is at the message's sections. */
export interface MessageHead {
  readonly message: StoredMessage;
  readonly besides: BesidesSections;
}

/** Reads a row's head and leaves the reader at the sections. */
export function readMessageHead(reader: FactReader, record: number, entity: number, status: Status): MessageHead {
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
  };
  const bodyKind = (flags & has.value) !== 0 ? "value" : (flags & has.sequence) !== 0 ? "sequence" : undefined;
  return { message, besides: { timeToLive, bodyKind } };
}

const markFields = ["reason", "description", "source"] as const;

function writeMark(writer: FactWriter, mark: DeadLetterMark): void {
  for (const field of markFields) {
    const text = mark[field];
    writer.byte(text === undefined ? 0 : 1);
    if (text !== undefined) writer.text(text);
  }
}

function readMark(reader: FactReader): DeadLetterMark {
  const text = (): string | undefined => (reader.byte() === 0 ? undefined : reader.text());
  return { reason: text(), description: text(), source: text() };
}
