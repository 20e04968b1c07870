import { anEnvelope, checkOption } from "../options/option-checks.ts";
import type { PayloadStage } from "./payload-stage.ts";

/** A stage that refuses what is not an envelope as `InvalidArgument`. */
export function guardedStage(stage: PayloadStage): PayloadStage {
  return {
    name: stage.name,
    ...(stage.beforeSend && {
      async beforeSend(envelope) {
        checkOption("envelope", envelope, anEnvelope);
        return (await stage.beforeSend?.(envelope)) ?? envelope;
      },
    }),
    ...(stage.afterReceive && {
      async afterReceive(envelope) {
        checkOption("envelope", envelope, anEnvelope);
        return (await stage.afterReceive?.(envelope)) ?? envelope;
      },
    }),
  };
}
