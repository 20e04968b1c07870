import type { Capabilities } from "../../engine/index.ts";

const native = { level: "native" } as const;
const later = { level: "refused", note: "not built yet" } as const;

/** What the memory engine can do. */
export const memoryCapabilities: Capabilities = {
  peekLock: native,
  receiveAndDelete: native,
  renewLock: native,
  deadLetter: native,
  defer: later,
  schedule: later,
  peek: native,
  timeToLive: native,
  sessions: later,
  sessionState: later,
  topics: later,
  duplicateDetection: later,
  autoForward: later,
  transactions: later,
  administration: native,
};
