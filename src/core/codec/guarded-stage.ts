import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type { PayloadStage } from "./payload-stage.ts";

/** A stage that rejects anything but an envelope with `InvalidArgument`. */
export function guardedStage(stage: PayloadStage): PayloadStage {
  return {
    name: stage.name,
    ...(stage.beforeSend && {
      beforeSend(envelope) {
        checkOption("envelope", envelope, is.envelope);
        return stage.beforeSend?.(envelope) ?? envelope;
      },
    }),
    ...(stage.afterReceive && {
      afterReceive(envelope) {
        checkOption("envelope", envelope, is.envelope);
        return stage.afterReceive?.(envelope) ?? envelope;
      },
    }),
  };
}
