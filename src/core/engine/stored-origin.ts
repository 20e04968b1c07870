import type { Envelope } from "../envelope/envelope.ts";

/** Bytes that a {@link ByteKeep} may replace by equal ones elsewhere. */
export interface KeptBytes {
  readonly bytes: Uint8Array;
  /** Where the keep has them; written only by it. */
  place: number;
  slab: object | undefined;
  /** Takes bytes in place of its own, which are equal. */
  moved(bytes: Uint8Array, start: number, length: number): void;
}

/** Where an engine keeps the bytes of the messages that it stores. */
export interface ByteKeep {
  /** Takes bytes that are stored; `source` is the array that has them. */
  add(kept: KeptBytes, length: number, source: Uint8Array): void;
  /** Forgets bytes that are stored no more; whoever has them may read them still. */
  remove(kept: KeptBytes, length: number): void;
}

/** The origin of envelopes whose bytes an engine may keep where it takes little memory. */
export interface StoredOrigin extends Envelope {
  /** Called when a queue stores an envelope with this origin. */
  stored(keep: ByteKeep): void;
  /** Called when the queue no longer stores that envelope. */
  unstored(keep: ByteKeep): void;
  /** One with bytes that nobody else has: itself, or a copy. */
  owned(): StoredOrigin;
}

/** An envelope that an engine has made from a received one. */
export interface RelabelledEnvelope extends Envelope {
  /** The received envelope if it has the same payload and application properties, otherwise this one. */
  readonly bodySource: Envelope;
}

/** The received envelope that certainly has the same payload and application properties, or else the envelope itself. */
export const bodySourceOf = (envelope: Envelope): Envelope => (isRelabelled(envelope) ? envelope.bodySource : envelope);

const isRelabelled = (envelope: Envelope): envelope is RelabelledEnvelope => "bodySource" in envelope;
