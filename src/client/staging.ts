import type { PayloadStage } from "../codec/payload-stage.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { isEnvelope, type OptionCheck } from "../options/option-checks.ts";

/**
 * Independent stages that are wrong in any other order: encrypted bytes do not compress, and stored bytes would stay
 * unencrypted.
 */
const order: readonly string[] = ["compression", "encryption", "claim-check"];

/** A list of payload stages in a valid order. */
export const stageList: OptionCheck = (value) => {
  if (!Array.isArray(value) || !value.every(isStage)) return "must be an array of payload stages";
  const ranks = value.map(({ name }) => order.indexOf(name)).filter((rank) => rank >= 0);
  const isOrdered = ranks.every((rank, index) => rank >= (ranks[index - 1] ?? 0));
  return isOrdered ? undefined : `must have ${order.join(", ")} in this order, in which they are applied when sending`;
};

function isStage(value: unknown): value is PayloadStage {
  if (typeof value !== "object" || value === null || typeof Reflect.get(value, "name") !== "string") return false;
  return ["beforeSend", "afterReceive"].every((method) =>
    ["function", "undefined"].includes(typeof Reflect.get(value, method)),
  );
}

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
