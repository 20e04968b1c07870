import type { ErrorCode } from "../../src/core/errors/codes.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";

/** The way from the root of a value down to a member, innermost first. */
export interface PathStep {
  readonly parent: PathStep | undefined;
  readonly key: string | number;
}

const shown = 32;

/**
 * The error of a value. Its path is e.g. `$.order.lines[2]`; a very long path is cut after 32 steps.
 *
 * With `DecodeFailed` it is as in `$.*.*[2]`, since the names are those of the payload; only `__proto__` is shown.
 */
export function errorAt(step: PathStep | undefined, code: ErrorCode, what: string): SobreError {
  const parts: string[] = [];
  for (let at = step; at !== undefined; at = at.parent) parts.push(part(at.key, code === "DecodeFailed"));
  const cut = parts.length > shown ? "…" : "";
  const path = `$${parts.reverse().slice(0, shown).join("")}${cut}`;
  return new SobreError(code, `${path} ${what}.`, { path });
}

function part(key: string | number, secret: boolean): string {
  if (typeof key === "number") return `[${key}]`;
  if (secret && key !== "__proto__") return ".*";
  return /^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
