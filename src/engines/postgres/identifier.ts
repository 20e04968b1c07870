import { SobreError } from "../../errors/sobre-error.ts";

/** Lower-case letters, digits and underscores, as PostgreSQL keeps them; 63 bytes are its maximum. */
const schemaForm = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * The name of a schema, quoted: the only text that is ever put into a statement.
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
