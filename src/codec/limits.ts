import { SobreError } from "../errors/sobre-error.ts";
import { checkOptionNames } from "../options/option-names.ts";

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

/**
 * The given limits over the defaults.
 *
 * @throws SobreError `InvalidArgument` naming a limit that is not an integer from 0 up, or that there is none of.
 */
export function resolveDecodeLimits(limits?: Partial<DecodeLimits>): DecodeLimits {
  if (limits === undefined) return defaultDecodeLimits;
  checkOptionNames(limits, { ...defaultDecodeLimits }, { prefix: "limits." });
  const resolved = { ...defaultDecodeLimits, ...limits };
  for (const [name, value] of Object.entries(resolved)) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new SobreError("InvalidArgument", `limits.${name} must be an integer from 0 up.`, {
        path: `$.limits.${name}`,
      });
    }
  }
  return Object.freeze(resolved);
}

/** The error of a used-up budget. */
export function limitExceeded(
  limit: keyof DecodeLimits,
  limits: DecodeLimits,
  where: { readonly offset?: number; readonly path?: string } = {},
): SobreError {
  return new SobreError("LimitExceeded", `The payload goes beyond limits.${limit}, which is ${limits[limit]}.`, where);
}
