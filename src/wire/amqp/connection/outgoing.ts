import type { ByteWriter } from "../../../core/amqp-values/byte-writer.ts";
import type { DeliveryState } from "./delivery-state.ts";

/** A message to send. */
export interface Outgoing {
  readonly payload: Uint8Array;
  readonly tag: Uint8Array;
  readonly settled: boolean;
  readonly messageFormat?: number | undefined;
  readonly context?: unknown;
  readonly state?: DeliveryState | undefined;
}

/** A message that writes itself into a frame, if it fits into one. */
export interface DirectMessage extends Pick<Outgoing, "payload" | "tag" | "settled"> {
  /** A lower bound of the message's bytes. */
  readonly least: number;
  /** Writes the tag as an AMQP binary. */
  writeTag(writer: ByteWriter): void;
  write(writer: ByteWriter): void;
}

/** The link of an outgoing delivery, as its session sees it. */
export interface OutgoingLink {
  /** This side's handle. */
  readonly handle: number;
  /** Whether it can carry messages. */
  readonly isAttached: boolean;
  readonly events: OutgoingEvents | undefined;
}

/** Callbacks about deliveries that the peer has disposed of. */
export interface OutgoingEvents {
  /** The peer has reported the outcome of a delivery; an unsettled one waits to be settled by this side. */
  readonly disposed: (delivery: OutgoingDelivery, state: DeliveryState | undefined, settled: boolean) => void;
}

/** A delivery that this side has sent and the peer has not settled. */
export interface OutgoingDelivery {
  readonly id: number;
  readonly link: OutgoingLink;
  /** An opaque value of the sender's. */
  readonly context: unknown;
  /** Whether the peer has reported its outcome, and this side has not settled it yet. */
  isSettling: boolean;
}
