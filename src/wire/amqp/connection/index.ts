export { Connection } from "./connection.ts";
export type { ConnectionLimits } from "./connection-limits.ts";
export type { ConnectionOptions } from "./connection-options.ts";
export { accepted, type DeliveryState } from "./delivery-state.ts";
export type { OpenPerformative as Open } from "./performative.ts";
export { type IncomingDelivery, ReceivingLink } from "./receiving-link.ts";
export { SendingLink } from "./sending-link.ts";
export type { WireError } from "./wire-fault.ts";
