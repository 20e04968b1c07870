import { type Capabilities, nativeCapabilities } from "../../core/engine/capabilities.ts";

/** The capabilities of a Service Bus endpoint through this engine. */
export const azureCapabilities: Capabilities = {
  ...nativeCapabilities,
  timeToLive: { level: "native", note: "deliveries show the message's own time to live, not the entity's" },
  inspect: {
    level: "refused",
    note: "Service Bus does not say who holds a session, nor how many messages are deferred",
  },
  transactions: { level: "native", note: "deferred messages and those of closed links are not settled in one" },
};
