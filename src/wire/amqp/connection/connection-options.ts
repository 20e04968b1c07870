import type { AmqpMap } from "../../../core/values/typed.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import type { DeliveryState } from "./delivery-state.ts";
import type { ClientSasl, ServerSasl } from "./handshake.ts";
import type { OpenPerformative } from "./performative.ts";
import type { ReceivingLink } from "./receiving-link.ts";
import type { SendingLink } from "./sending-link.ts";
import type { WireError } from "./wire-fault.ts";

/** Callbacks of a connection to its owner. */
export interface ConnectionEvents {
  /** The peer's open has arrived. */
  readonly opened: (open: OpenPerformative) => void;
  /** The peer asks for a link: answer with its `open` or `refuse`, now or later. */
  readonly attach: (link: SendingLink | ReceivingLink) => void;
  /** A link that the peer attached has ended. */
  readonly left?: ((link: SendingLink | ReceivingLink) => void) | undefined;
  /** A message or an outcome that the peer sent in this state is not taken: its link or session has ended on this side. */
  readonly ignored?: ((state: DeliveryState) => void) | undefined;
  /** The connection has ended; called once. */
  readonly closed: (error: WireError | undefined) => void;
  /** There are bytes for {@link Connection.take}; called once until they are taken. */
  readonly output: () => void;
  /** Something failed on this side; the peer gets only the tracking id. */
  readonly failed?: ((error: unknown, trackingId: string) => void) | undefined;
}

/** Who this side is. */
export interface ConnectionOptions {
  readonly role: "server" | "client";
  readonly containerId: string;
  readonly hostname?: string | undefined;
  readonly properties?: AmqpMap | undefined;
  readonly limits?: Partial<ConnectionLimits> | undefined;
  readonly serverSasl?: ServerSasl | undefined;
  readonly clientSasl?: ClientSasl | undefined;
  readonly events: ConnectionEvents;
  /** Gives the id of the first delivery of each session. Default: 0, as all clients have. */
  readonly firstDeliveryId?: (() => number) | undefined;
  /** The current time in milliseconds, for time-outs. Default: a clock that never goes back. */
  readonly now?: (() => number) | undefined;
}
