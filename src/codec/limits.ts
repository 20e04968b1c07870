import { isObject } from "../values/plain-object.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { checkOptions, countFrom, type OptionChecks, invalidOption } from "../options/option-checks.ts";

/** Budgets that hold for every decoder; beyond them it throws `LimitExceeded`. */
export interface DecodeLimits {
  /** Most bytes of a payload. Default: 100 MiB. */
  readonly maxBytes: number;
  /** Deepest nesting of lists and maps; a scalar has depth 0. Default: 128. */
  readonly maxDepth: number;
  /** Most list elements and map entries together. Default: 1,000,000. */
  readonly maxItems: number;
}

/** The limits that hold unless others are given. */
export const defaultDecodeLimits: DecodeLimits = /* @__PURE__ */ Object.freeze({
  maxBytes: 104_857_600,
  maxDepth: 128,
  maxItems: 1_000_000,
});

const limitChecks: OptionChecks<DecodeLimits> = {
  maxBytes: countFrom(0),
  maxDepth: countFrom(0),
  maxItems: countFrom(0),
};

/**
 * Fills the given limits up with the defaults.
 *
 * @throws SobreError `InvalidArgument` for an unknown limit and for one that is not a whole number.
 */
export function resolveDecodeLimits(limits?: Partial<DecodeLimits>): DecodeLimits {
  if (limits === undefined) return defaultDecodeLimits;
  checkOptions(limits, limitChecks, { prefix: "limits." });
  const { maxBytes, maxDepth, maxItems } = limits;
  return Object.freeze({
    maxBytes: maxBytes ?? defaultDecodeLimits.maxBytes,
    maxDepth: maxDepth ?? defaultDecodeLimits.maxDepth,
    maxItems: maxItems ?? defaultDecodeLimits.maxItems,
  });
}

/** The error of a used-up budget. */
export function limitExceeded(
  limit: keyof DecodeLimits,
  limits: DecodeLimits,
  where: { readonly offset?: number; readonly path?: string } = {},
): SobreError {
  const most: unknown = isObject(limits) && typeof limit === "string" ? limits[limit] : undefined;
  if (typeof most !== "number") throw invalidOption("limits", "must be DecodeLimits");
  return new SobreError("LimitExceeded", `The payload goes beyond limits.${limit}, which is ${most}.`, where);
}
