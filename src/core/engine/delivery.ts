import type { ApplicationPropertyValue } from "../envelope/application-properties.ts";
import type { Envelope } from "../envelope/envelope.ts";

/** Identifies a receiver's lock on a message: a UUID string, made only by engines. */
export type LockToken = string & { readonly [lockTokenBrand]: true };
declare const lockTokenBrand: unique symbol;

/** Brands a string as a lock token; for engines and servers. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where the brand is given
export const lockToken = (text: string): LockToken => text as LockToken;

/** Whether a received message stays in the entity, locked, until it is settled, or is deleted immediately. */
export type ReceiveMode = "peekLock" | "receiveAndDelete";

/** Whether a message is available, deferred until its sequence number is requested, or scheduled for later. */
export type MessageState = "active" | "deferred" | "scheduled";

/** A message as delivered by an engine: the sender's envelope and the broker's properties. */
export interface Delivery {
  readonly envelope: Envelope;
  /** `undefined` on peeked messages and in `receiveAndDelete`. */
  readonly lockToken: LockToken | undefined;
  /** `undefined` like {@link lockToken}. */
  readonly lockedUntilUtc: Date | undefined;
  /** Unique and increasing within the entity's partition; 0 where the engine refuses `sequenceNumbers`. */
  readonly sequenceNumber: bigint;
  /** The sequence number on the entity that first accepted the message; 0 likewise. */
  readonly enqueuedSequenceNumber: bigint;
  readonly enqueuedTimeUtc: Date;
  /** When the message expires, or `undefined` when never. */
  readonly expiresAtUtc: Date | undefined;
  /**
   * How many deliveries failed before this one: 0 on the first. An expired message or session lock, an abandon and a
   * defer count; a release and locks that end with `close()` of a session receiver or engine, or with an update of the
   * entity, do not.
   */
  readonly deliveryCount: number;
  readonly state: MessageState;
  /** The entity that dead-lettered the message, on a forwarded dead letter. */
  readonly deadLetterSource: string | undefined;
  /** On dead letters: a short, stable reason. */
  readonly deadLetterReason: string | undefined;
  /** On dead letters: a description in one sentence. */
  readonly deadLetterErrorDescription: string | undefined;
}

/** The effective time to live of a delivery, in milliseconds since enqueueing; `undefined` when it does not expire. */
export const effectiveTimeToLive = ({ enqueuedTimeUtc, expiresAtUtc }: Delivery): number | undefined =>
  expiresAtUtc === undefined ? undefined : expiresAtUtc.getTime() - enqueuedTimeUtc.getTime();

/** Application properties to set when a message is settled; `undefined` removes one. */
export type Modification = Readonly<Record<string, ApplicationPropertyValue | undefined>>;

/** A receiver's decision about a message it holds. */
export type Settlement =
  | { readonly kind: "complete" }
  | { readonly kind: "abandon"; readonly propertiesToModify?: Modification | undefined }
  /** Makes the message available again without counting a delivery. */
  | { readonly kind: "release" }
  | { readonly kind: "defer"; readonly propertiesToModify?: Modification | undefined }
  | {
      readonly kind: "deadLetter";
      readonly deadLetterReason?: string | undefined;
      readonly deadLetterErrorDescription?: string | undefined;
      readonly propertiesToModify?: Modification | undefined;
    };

/** The application properties that carry the reason and description of a dead letter on the wire. */
export const deadLetterProperties = { reason: "DeadLetterReason", description: "DeadLetterErrorDescription" } as const;
