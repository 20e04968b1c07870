import type { ConnectionLimits } from "./connection-limits.ts";
import type { DeliveryState } from "./delivery-state.ts";
import type { FrameWriter } from "./frame-writer.ts";
import type { LinkBudget } from "./link-budget.ts";
import type { DirectMessage, Outgoing, OutgoingDelivery, OutgoingLink } from "./outgoing.ts";
import type { AttachPerformative, Detach, Flow } from "./performative.ts";
import type { WireError } from "./wire-fault.ts";

/** A connection as its sessions see it. */
export interface ConnectionPort {
  readonly limits: ConnectionLimits;
  /** The cost of the peer's sessions and links. */
  readonly budget: LinkBudget;
  /** Where frames are written; asks for the output to be taken. */
  readonly frames: FrameWriter;
  /** The largest frame that the peer accepts, in bytes. */
  readonly maxOutgoingFrame: number;
  /** The id of the first delivery of a new session. */
  firstDeliveryId(): number;
  /** Whether the peer reads its output. */
  readonly writable: boolean;
  /** Whether it ended without an orderly close: the peer may be dead. */
  readonly lost: boolean;
  /** Whether so much output is waiting that new messages should wait until the link has `flowed`. */
  readonly full: boolean;
  /** The form of an error that is sent to the peer; one that is not for the peer is reported here. */
  errorOf(error: unknown, trackingId?: string): WireError;
  /** A message or an outcome that the peer sent in this state is not taken: its link or session has ended on this side. */
  ignored(state: DeliveryState | undefined): void;
  /** Counts the steps that a frame takes besides its own bytes. @throws WireFault when one read takes too many. */
  spend(steps: number): void;
  /** The session on this channel has ended. */
  forget(channel: number): void;
  /** Flushes the session on this channel before the output is next taken. */
  flushLater(channel: number): void;
}

/** A session as its links see it. */
export interface SessionPort {
  readonly connection: ConnectionPort;
  /** Whether a message can go out without waiting for room at the peer. */
  readonly canSend: boolean;
  /** How many transfer frames can go out without waiting. */
  readonly room: number;
  /** Writes the dispositions that were held back. */
  flush(): void;
  writeAttach(attach: AttachPerformative): void;
  writeDetach(detach: Detach): void;
  writeFlow(link: Partial<Flow>): void;
  send(link: OutgoingLink, outgoing: Outgoing): OutgoingDelivery;
  sendDirect(link: OutgoingLink, message: DirectMessage): void;
  settleOutgoing(delivery: OutgoingDelivery, state: DeliveryState): void;
  settleIncoming(id: number, state: DeliveryState): void;
  /** Asks the peer to settle an incoming delivery; its link's `confirmed` is called with the deliveries that the peer settled. */
  requestSettlement(id: number, state: DeliveryState): void;
}

/** A session as its outgoing window sees it. */
export interface WindowPort {
  readonly connection: ConnectionPort;
  readonly channel: number;
  /** The peer has no room for more frames. */
  exhausted(): void;
}
