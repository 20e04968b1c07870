import type { EngineCase } from "./engine-case.ts";
import { adminCases } from "./engine-cases-admin.ts";
import { deadLetterCases } from "./engine-cases-dead-letter.ts";
import { lockCases } from "./engine-cases-lock.ts";
import { peekCases } from "./engine-cases-peek.ts";
import { receiveCases } from "./engine-cases-receive.ts";
import { sendCases } from "./engine-cases-send.ts";
import { settleCases } from "./engine-cases-settle.ts";
import { timeToLiveCases } from "./engine-cases-time-to-live.ts";

/** Every promise of the message model, as data; run each with `runEngineCase`. */
export const engineSuite: readonly EngineCase[] = [
  ...sendCases,
  ...receiveCases,
  ...settleCases,
  ...lockCases,
  ...deadLetterCases,
  ...timeToLiveCases,
  ...peekCases,
  ...adminCases,
];
