import { memberShape } from "./lower-value.ts";
import type { SettledShape } from "../infer/settled-shape.ts";
import { formsOf, type TargetForm } from "./target-form.ts";
import { rulesOfType, type TargetRules } from "./target-rules.ts";

type GeneratedSchema = { [keyword: string]: unknown };

/** The JSON Schema (2020-12) of the messages of a type: version 0 of its subject. */
export function jsonSchemaOf(title: string, typeName: string, shape: SettledShape, rules: TargetRules): object {
  const count = shape.shape.count;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    description: `Inferred from ${count} ${count === 1 ? "message" : "messages"} of ${typeName}.`,
    ...schemaOf(shape, rulesOfType(rules, shape)),
  };
}

function schemaOf(settled: SettledShape, rules: TargetRules): GeneratedSchema {
  const { shape } = settled;
  const written = formsOf(settled, rules);
  const isKept = shape.wholeLiterals > 0 && written.some(({ format }) => format === "int64");
  const forms: readonly TargetForm[] = isKept ? [...written, { type: "integer" }] : written;
  const schemas = forms.map((form) => schemaOfForm(form, settled, rules));
  const [first = {}, ...others] = schemas;
  const schema = others.length === 0 ? first : simpleUnion(schemas);
  const [typeName] = shape.typeNames;
  return typeName !== undefined && shape.typeNames.size === 1 ? { ...schema, "x-type-name": typeName } : schema;
}

/** A single list of types if the union consists of null and scalars only. */
function simpleUnion(schemas: readonly GeneratedSchema[]): GeneratedSchema {
  const complex = schemas.filter((schema) => Object.keys(schema).length > 1);
  const types = schemas.map(({ type }) => type);
  // An enum would apply to all of the types, unlike a pattern or a format.
  if (complex.length > 1 || complex.some((schema) => "enum" in schema) || new Set(types).size < types.length)
    return { anyOf: schemas };
  return { ...Object.assign({}, ...schemas), type: types };
}

function schemaOfForm({ type, format }: TargetForm, settled: SettledShape, rules: TargetRules): GeneratedSchema {
  switch (type) {
    case "object":
      return settled.shape.isDictionary
        ? { type, additionalProperties: inner(settled.items, rules) }
        : objectSchema(settled, rules);
    case "array":
      // A multidimensional array has nested lists.
      return settled.shape.kinds.array > 0 ? { type } : { type, items: inner(settled.items, rules) };
    case "pairs":
    case "map": {
      const pair = [inner(settled.keys, rules), inner(settled.items, rules)];
      return { type: "array", items: { type: "array", prefixItems: pair, minItems: 2, maxItems: 2 } };
    }
    case "bytes":
      return { type: "string", contentEncoding: "base64" };
    case "time":
      return { type: "string", format: "date-time" };
    case "string":
      return stringSchema(format, settled);
    default:
      return { type };
  }
}

function inner(settled: SettledShape | undefined, rules: TargetRules): GeneratedSchema | true {
  return settled === undefined ? true : schemaOf(settled, rules);
}

function objectSchema(settled: SettledShape, rules: TargetRules): GeneratedSchema {
  const { shape, members } = settled;
  const properties: [string, GeneratedSchema | true][] = Array.from(members, ([name]) => [
    name,
    inner(memberShape(settled, name), rules),
  ]);
  const { discriminator } = rules;
  if (discriminator !== undefined && shape.typeNames.size > 0)
    properties.unshift([discriminator.member, { type: "string" }]);
  const objects = shape.kinds.object;
  const required = Array.from(members)
    .filter(([, { shape: member }]) => member.count === objects)
    .map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

const formats: ReadonlySet<string> = new Set(["date-time", "date", "time", "uuid", "uri", "duration"]);
/** Whether every string at a path has a format. */
function isAsserted(format: string, { irregular }: SettledShape["shape"]): boolean {
  return format === "uuid" || ((format === "date" || format === "date-time") && irregular === 0);
}

function stringSchema(format: string | undefined, { shape }: SettledShape): GeneratedSchema {
  switch (format) {
    case undefined:
      return { type: "string" };
    case "base64":
      return { type: "string", contentEncoding: "base64" };
    case "int64":
    case "integer":
      return { type: "string", pattern: "^-?[0-9]+$" };
    case "NaN, INF, -INF":
      return { type: "string", enum: ["NaN", "INF", "-INF", "-0"] };
    default:
      // A URI may be relative and a duration longer than the format allows: only formats that always hold are asserted.
      if (isAsserted(format, shape)) return { type: "string", format };
      return { type: "string", ...(formats.has(format) ? {} : { "x-format": format.replace(/,.*/, "") }) };
  }
}
