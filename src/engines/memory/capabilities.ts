import type { Capabilities } from "../../engine/capabilities.ts";

const native = { level: "native" } as const;

/** The capabilities of the memory engine: all of them, natively. */
export const memoryCapabilities: Capabilities = {
  peekLock: native,
  receiveAndDelete: native,
  renewLock: native,
  deadLetter: native,
  defer: native,
  schedule: native,
  peek: native,
  timeToLive: native,
  sessions: native,
  sessionState: native,
  topics: native,
  duplicateDetection: native,
  autoForward: native,
  transactions: native,
  administration: native,
};
