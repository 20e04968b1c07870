import type { OptionCheck } from "../options/is.ts";
import type { PayloadStage } from "./payload-stage.ts";

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
