import { isObject } from "../values/plain-object.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { checkOptions, type OptionChecks, invalidOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";

/** Limits for every decoder; exceeding one throws `LimitExceeded`. */
export interface DecodeLimits {
  /** Maximum size of a payload in bytes. Default: 100 MiB. */
  readonly maxBytes: number;
  /** Maximum nesting depth of lists and maps; a scalar has depth 0. Default: 128. */
  readonly maxDepth: number;
  /** Maximum number of list elements and map entries together. Default: 1,000,000. */
  readonly maxItems: number;
}

/** The default limits. */
export const defaultDecodeLimits: DecodeLimits = /* @__PURE__ */ Object.freeze({
  maxBytes: 104_857_600,
  maxDepth: 128,
  maxItems: 1_000_000,
});

const limitChecks: OptionChecks<DecodeLimits> = {
  maxBytes: is.countFrom(0),
  maxDepth: is.countFrom(0),
  maxItems: is.countFrom(0),
};

/**
 * Completes the given limits with the defaults.
 *
 * @throws SobreError `InvalidArgument` for an unknown limit, or one that is not a whole number.
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

/** The error of an exceeded limit. */
export function limitExceeded(
  limit: keyof DecodeLimits,
  limits: DecodeLimits,
  where: { readonly offset?: number; readonly path?: string } = {},
): SobreError {
  const most: unknown = isObject(limits) && typeof limit === "string" ? limits[limit] : undefined;
  if (typeof most !== "number") throw invalidOption("limits", "must be DecodeLimits");
  return new SobreError("LimitExceeded", `The payload exceeds limits.${limit}, which is ${most}.`, where);
}
