import { SobreError } from "./sobre-error.ts";

/** `InvalidArgument` for a caller's input, with the reason of a foreign error; a {@link SobreError} stays what it is. */
export function invalidInput(what: string, cause: unknown, reason?: string): SobreError {
  if (cause instanceof SobreError) return cause;
  const why = reason ?? (cause instanceof Error ? cause.message : "no reason was given");
  return new SobreError("InvalidArgument", `${what}: ${why}.`, { cause });
}
