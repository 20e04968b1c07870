import { jsonSchemaOf } from "./json-schema.ts";
import type { SettledShape } from "../infer/settled-shape.ts";
import type { MigrationTarget } from "./target.ts";
import type { TypeProfiles } from "../infer/type-profile.ts";

/** Returns the paths at which a written body violates the schema of its type. */
export type SchemaCheck = (body: unknown) => readonly string[];

/** Creates the check of a type, or `undefined` for types beyond the first {@link maxTypes}. */
export type SchemaChecks = (typeName: string, shape: SettledShape) => SchemaCheck | undefined;

/** Maximum number of types whose schemas are compiled, at a few milliseconds each. */
const maxTypes = 200;

/** Loads ajv, to validate every message written as JSON against the schema of its type; other formats are not checked. */
export async function loadSchemaChecks(
  { format, rules }: MigrationTarget,
  profiles: TypeProfiles,
): Promise<SchemaChecks | undefined> {
  if (format !== "json") return undefined;
  const { compileBodySchema } = await import("../../core/json-schema/ajv.ts");
  const checked = new Set(
    profiles
      .all()
      .slice(0, maxTypes)
      .map(({ name }) => name),
  );
  return (typeName, shape) => {
    if (!checked.has(typeName)) return undefined;
    const check = compileBodySchema(jsonSchemaOf(typeName, typeName, shape, rules), {
      formats: "assertion",
      isOwn: true,
    });
    return (body) => {
      if (check(body).problems.length === 0) return [];
      return check(asNumbers(body)).problems.map(({ path }) => path);
    };
  };
}

/** The body with its bigints as JSON numbers. */
function asNumbers(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value)));
}
