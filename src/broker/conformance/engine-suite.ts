import type { EngineCase } from "./engine-case.ts";
import { argumentCases } from "./engine-cases-arguments.ts";
import { byteCases } from "./engine-cases-bytes.ts";
import { ruleCases } from "./engine-cases-rule.ts";
import { adminCases } from "./engine-cases-admin.ts";
import { inspectCases } from "./engine-cases-inspect.ts";
import { deadLetterCases } from "./engine-cases-dead-letter.ts";
import { deferCases } from "./engine-cases-defer.ts";
import { duplicateCases } from "./engine-cases-duplicates.ts";
import { entityCases } from "./engine-cases-entity.ts";
import { forwardCases } from "./engine-cases-forward.ts";
import { idleCases } from "./engine-cases-idle.ts";
import { scheduleCases } from "./engine-cases-schedule.ts";
import { sessionCases } from "./engine-cases-session.ts";
import { sessionRuleCases } from "./engine-cases-session-rules.ts";
import { sessionStateCases } from "./engine-cases-session-state.ts";
import { sqlActionCases } from "./engine-cases-sql-action.ts";
import { sqlCases } from "./engine-cases-sql.ts";
import { subscriptionCases } from "./engine-cases-subscription.ts";
import { topicCases } from "./engine-cases-topic.ts";
import { transactionCases } from "./engine-cases-transaction.ts";
import { lockCases } from "./engine-cases-lock.ts";
import { peekCases, receiveCases } from "./engine-cases-receive.ts";
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
  ...deferCases,
  ...scheduleCases,
  ...sessionCases,
  ...sessionRuleCases,
  ...sessionStateCases,
  ...duplicateCases,
  ...forwardCases,
  ...topicCases,
  ...ruleCases,
  ...subscriptionCases,
  ...sqlCases,
  ...sqlActionCases,
  ...transactionCases,
  ...peekCases,
  ...byteCases,
  ...adminCases,
  ...inspectCases,
  ...argumentCases,
  ...entityCases,
  ...idleCases,
];
