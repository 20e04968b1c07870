import { decodeMessage } from "../../wire/amqp/message/decode-message.ts";
import { complete } from "../../wire/amqp/message/kept-envelope.ts";
import { deliveryOf, type QueuedFacts } from "../policy/delivery.ts";
import { type Delivery, lockToken, type LockToken, type MessageState } from "../../core/engine/delivery.ts";
import { isLockToken } from "../../core/engine/arguments.ts";
import type { BodyKind, Envelope } from "../../core/envelope/envelope.ts";
import { readBase64 } from "./base64.ts";
import { bigintOf, maybeNumber, maybeReal, maybeText, numberOf, type ResultRow, textOfColumn } from "./rows.ts";

/**
 * The columns of a message, of the tables `d` (delivery) and `b` (body). Base64 takes two thirds of the digits of a `bytea`:
 * the server waits for a reader whose socket is full.
 */
export const messageColumns =
  "d.seq, d.count, d.size, d.state, d.session, b.number, b.enqueued_number, b.enqueued_at, b.expires_at, b.reason, b.description, b.source, b.time_to_live, b.body_kind, encode(b.message, 'base64') as message";

/** A message as stored in the tables. */
export interface TableMessage extends QueuedFacts {
  readonly seq: bigint;
  readonly number: bigint;
  readonly envelope: Envelope;
  readonly size: number;
  readonly session: string | undefined;
}

const stateNames: readonly MessageState[] = ["active", "deferred", "scheduled"];
const bodyKinds: readonly BodyKind[] = ["data", "value", "sequence"];

/** A message of a row with {@link messageColumns}. */
export function readMessage(row: ResultRow): TableMessage {
  const [reason, description, source] = ["reason", "description", "source"].map((column) => maybeText(row, column));
  const isMarked = reason !== undefined || description !== undefined || source !== undefined;
  const bodyKind = maybeText(row, "body_kind");
  const envelope = complete(decodeMessage(readBase64(textOfColumn(row, "message"))), {
    timeToLive: maybeReal(row, "time_to_live"),
    bodyKind: bodyKinds.find((kind) => kind === bodyKind),
  });
  return {
    seq: bigintOf(row, "seq"),
    number: bigintOf(row, "number"),
    envelope,
    size: numberOf(row, "size"),
    enqueuedSequenceNumber: bigintOf(row, "enqueued_number"),
    enqueuedAt: numberOf(row, "enqueued_at"),
    expiresAt: maybeNumber(row, "expires_at") ?? Infinity,
    deliveryCount: numberOf(row, "count"),
    state: stateNames[numberOf(row, "state")] ?? "active",
    session: maybeText(row, "session"),
    deadLetter: isMarked ? { reason, description, source } : undefined,
  };
}

/** A lock on a message. */
export interface RowLock {
  /** The first half of the token; the second is the message's position. */
  readonly token: bigint;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** A message as a receiver sees it or, without a lock, as peek returns it. */
export const toDelivery = (message: TableMessage, lock?: RowLock): Delivery =>
  deliveryOf(
    message,
    message.envelope,
    message.number,
    lock === undefined ? undefined : { token: tokenOf(lock.token, message.seq), until: lock.until },
  );

const hex = (value: bigint): string => BigInt.asUintN(64, value).toString(16).padStart(16, "0");

function tokenOf(token: bigint, seq: bigint): LockToken {
  const [high, low] = [hex(token), hex(seq)];
  return lockToken(`${high.slice(0, 8)}-${high.slice(8, 12)}-${high.slice(12)}-${low.slice(0, 4)}-${low.slice(4)}`);
}

/** The halves of a token; `undefined` for anything else. */
export function readToken(text: LockToken): { readonly token: bigint; readonly seq: bigint } | undefined {
  if (!isLockToken(text)) return undefined;
  const digits = text.replaceAll("-", "");
  const half = (from: number): bigint => BigInt.asIntN(64, BigInt(`0x${digits.slice(from, from + 16)}`));
  return { token: half(0), seq: half(16) };
}

/** The mark of a session's lock in the tokens of its messages: their upper 32 bits. */
export const markOf = (token: bigint): bigint => BigInt.asUintN(32, token >> 32n);

/** A new random token, with the mark of the session's lock if there is one. */
export function newToken(mark?: bigint): bigint {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return BigInt.asIntN(64, ((mark ?? BigInt(high)) << 32n) | BigInt(low));
}

/** The mark of a new session's lock. */
export const newMark = (): bigint => BigInt(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0);
