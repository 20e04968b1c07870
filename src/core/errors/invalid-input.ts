import { SobreError } from "./sobre-error.ts";

/**
 * `InvalidArgument` for a caller's input, with the reason from another library's error; a {@link SobreError} is
 * returned unchanged.
 */
export function invalidInput(what: string, cause: unknown, reason?: string): SobreError {
  if (cause instanceof SobreError) return cause;
  const why = reason ?? (cause instanceof Error ? cause.message : "no reason was given");
  return new SobreError("InvalidArgument", `${what}: ${why}.`, { cause });
}
