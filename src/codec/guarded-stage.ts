import { anEnvelope, checkOption } from "../options/option-checks.ts";
import type { PayloadStage } from "./payload-stage.ts";

/** A stage that refuses what is not an envelope as `InvalidArgument`. */
export function guardedStage({ name, beforeSend, afterReceive }: PayloadStage): PayloadStage {
  return {
    name,
    ...(beforeSend !== undefined && {
      async beforeSend(envelope) {
        checkOption("envelope", envelope, anEnvelope);
        return beforeSend(envelope);
      },
    }),
    ...(afterReceive !== undefined && {
      async afterReceive(envelope) {
        checkOption("envelope", envelope, anEnvelope);
        return afterReceive(envelope);
      },
    }),
  };
}
