import type { Capabilities } from "../../engine/capabilities.ts";

const native = { level: "native" } as const;

/** The capabilities of a Service Bus endpoint through this engine. */
export const azureCapabilities: Capabilities = {
  peekLock: native,
  receiveAndDelete: native,
  renewLock: native,
  deadLetter: native,
  defer: native,
  schedule: native,
  peek: native,
  timeToLive: { level: "native", note: "deliveries show the message's own time to live, not the entity's" },
  sessions: native,
  sessionState: native,
  topics: native,
  duplicateDetection: native,
  autoForward: native,
  transactions: { level: "native", note: "deferred messages and those of closed links are not settled in one" },
  administration: native,
};
