import { SobreError } from "../../errors/sobre-error.ts";

/** Lower-case letters, digits and underscores, which PostgreSQL leaves unchanged; its maximum is 63 bytes. */
const schemaForm = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * The name of a schema, quoted: the only caller-supplied text that is ever interpolated into a statement.
 *
 * @throws SobreError `InvalidArgument` unless it has the form of a plain identifier.
 */
export function quotedSchema(schema: string): string {
  if (typeof schema === "string" && schemaForm.test(schema) && !schema.startsWith("pg_")) return `"${schema}"`;
  throw new SobreError(
    "InvalidArgument",
    'schema must have 1 to 63 lower-case letters, digits and "_", begin with no digit, and not with "pg_".',
    { path: "$.schema" },
  );
}
