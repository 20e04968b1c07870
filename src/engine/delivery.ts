import type { ApplicationPropertyValue } from "../envelope/application-properties.ts";
import type { Envelope } from "../envelope/envelope.ts";

/** The proof that a receiver holds a message: a UUID in text. Made by engines only. */
export type LockToken = string & { readonly [lockTokenBrand]: true };
declare const lockTokenBrand: unique symbol;

/** Marks text as a lock token; for engines and borders. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where the brand is given
export const lockToken = (text: string): LockToken => text as LockToken;

/** Whether a received message stays on the entity, locked, until it is settled, or is gone at once. */
export type ReceiveMode = "peekLock" | "receiveAndDelete";

/** Whether a message waits to be delivered, for its number to be asked for, or for its time. */
export type MessageState = "active" | "deferred" | "scheduled";

/** A message as an engine hands it over: the sender's envelope and what the broker says about it. */
export interface Delivery {
  readonly envelope: Envelope;
  /** Unset on peeked messages and in `receiveAndDelete`. */
  readonly lockToken: LockToken | undefined;
  /** Unset like {@link lockToken}. */
  readonly lockedUntilUtc: Date | undefined;
  /** Unique and rising within the entity's partition. */
  readonly sequenceNumber: bigint;
  /** The sequence number on the entity that first accepted the message. */
  readonly enqueuedSequenceNumber: bigint;
  readonly enqueuedTimeUtc: Date;
  /** When the message expires, or `undefined` when never. */
  readonly expiresAtUtc: Date | undefined;
  /**
   * How many deliveries have failed before this one: 0 on the first. Counted are a lock that expires, an abandon, a defer,
   * and a session lock that expires while the message is locked. Not counted are a release, and locks that end with
   * `close()` of a session receiver or an engine, or by an update of the entity.
   */
  readonly deliveryCount: number;
  readonly state: MessageState;
  /** The entity that the message was dead-lettered on, on a dead letter that was forwarded. */
  readonly deadLetterSource: string | undefined;
  /** On dead letters: the short, stable reason. */
  readonly deadLetterReason: string | undefined;
  /** On dead letters: one sentence. */
  readonly deadLetterErrorDescription: string | undefined;
}

/** The effective time to live of a delivery in milliseconds, from enqueueing on; `undefined` when it does not expire. */
export const effectiveTimeToLive = ({ enqueuedTimeUtc, expiresAtUtc }: Delivery): number | undefined =>
  expiresAtUtc === undefined ? undefined : expiresAtUtc.getTime() - enqueuedTimeUtc.getTime();

/** Application properties to set when a message is settled; `undefined` removes one. */
export type Modification = Readonly<Record<string, ApplicationPropertyValue | undefined>>;

/** A receiver's decision about a message it holds. */
export type Settlement =
  | { readonly kind: "complete" }
  | { readonly kind: "abandon"; readonly propertiesToModify?: Modification | undefined }
  /** Gives the message back at once, without counting a delivery. */
  | { readonly kind: "release" }
  | { readonly kind: "defer"; readonly propertiesToModify?: Modification | undefined }
  | {
      readonly kind: "deadLetter";
      readonly deadLetterReason?: string | undefined;
      readonly deadLetterErrorDescription?: string | undefined;
      readonly propertiesToModify?: Modification | undefined;
    };

/** The application properties in which a dead letter carries its reason and description on every wire. */
export const deadLetterProperties = { reason: "DeadLetterReason", description: "DeadLetterErrorDescription" } as const;
