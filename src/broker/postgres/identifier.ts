import { invalidOption } from "../../core/options/option-checks.ts";

/** Lower-case letters, digits and underscores, which PostgreSQL leaves unchanged; its maximum is 63 bytes. */
const plainIdentifier = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * An identifier, quoted: the only caller-supplied text that is ever interpolated into a statement.
 *
 * @param option The option that gives it, for the error.
 * @throws SobreError `InvalidArgument` unless it has the form of a plain identifier.
 */
export function quoted(option: string, identifier: string): string {
  if (typeof identifier === "string" && plainIdentifier.test(identifier) && !identifier.startsWith("pg_"))
    return `"${identifier}"`;
  throw invalidOption(
    option,
    'must have 1 to 63 lower-case letters, digits and "_", begin with no digit, and not with "pg_"',
  );
}
