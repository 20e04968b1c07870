import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { isEnvelope } from "../../core/options/is.ts";

/** Applies the stages to an envelope, in order. @throws what a stage throws. */
export async function staged(stages: readonly PayloadStage[], encoded: Envelope): Promise<Envelope> {
  let envelope = encoded;
  for (const stage of stages) {
    envelope = (await stage.beforeSend?.(envelope)) ?? envelope;
    if (!isEnvelope(envelope)) throw noEnvelope(stage.name, "InvalidArgument");
  }
  return envelope;
}

/** Undoes the stages, the last one first. @throws SobreError of the stage that failed. */
export async function unstaged(stages: readonly PayloadStage[], received: Envelope): Promise<Envelope> {
  let envelope = received;
  for (const stage of stages.toReversed()) {
    try {
      envelope = (await stage.afterReceive?.(envelope)) ?? envelope;
      if (!isEnvelope(envelope)) throw noEnvelope(stage.name, "DecodeFailed");
    } catch (error) {
      throw SobreError.from(error, "DecodeFailed", `The stage "${stage.name}" failed on this payload`);
    }
  }
  return envelope;
}

function noEnvelope(stage: string, code: "InvalidArgument" | "DecodeFailed"): SobreError {
  return new SobreError(
    code,
    `The stage "${stage}" did not return an envelope. Return the given one changed by amend.`,
  );
}
