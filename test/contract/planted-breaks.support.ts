import { jsonCompatibility } from "../../src/contract/json-schema/json-compatibility.ts";
import type { Random } from "../random.support.ts";

/** A schema as plain JSON. */
type Schema = { [keyword: string]: unknown };

/** A change of one place of a schema that breaks readers. */
type Break = (schema: Schema) => void;

/** A writer's schema, and the places at which its reader may break. */
interface Plantable {
  readonly schema: Schema;
  readonly breaks: Break[];
}

/** Makes a schema of objects, lists, unions of both kinds and conditions, each place of which may break in one way. */
function plantable(random: Random): Plantable {
  const breaks: Break[] = [];
  let names = 0;
  /** The place of a part in the whole schema, found again in a copy. */
  const at = (path: readonly (string | number)[], change: (part: Schema) => void): void => {
    breaks.push((schema) => {
      let part: unknown = schema;
      for (const step of path) part = Reflect.get(Object(part), step);
      change(Object(part));
    });
  };
  const leaf = (path: readonly (string | number)[]): Schema => {
    switch (random.integer(5)) {
      case 0:
        at(path, (part) => (part["type"] = "integer"));
        return { type: "string" };
      case 1:
        at(path, (part) => (part["maxLength"] = 3));
        return { type: "string", maxLength: 5 };
      case 2:
        at(path, (part) => (part["enum"] = ["a", "b"]));
        return { enum: ["a", "b", "c"] };
      case 3:
        at(path, (part) => (part["minimum"] = 0));
        return { type: "integer" };
      default:
        at(path, (part) => (part["pattern"] = "^[a-z]"));
        return { type: "string" };
    }
  };
  const object = (path: readonly (string | number)[], depth: number, kind?: string): Schema => {
    const members = Array.from({ length: 1 + random.integer(3) }, () => `m${names++}`);
    const properties: Schema = {};
    if (kind !== undefined) properties["kind"] = { const: kind };
    for (const name of members) properties[name] = schema([...path, "properties", name], depth - 1);
    const required = kind === undefined ? [] : ["kind"];
    const [first = ""] = members;
    if (random.chance(0.3)) at(path, (part) => (part["required"] = [...required, first]));
    return { type: "object", properties, required, ...(random.chance(0.5) ? { additionalProperties: false } : {}) };
  };
  const schema = (path: readonly (string | number)[], depth: number): Schema => {
    if (depth <= 0) return leaf(path);
    switch (random.integer(9)) {
      case 6:
        return { $ref: `#/$defs/${random.pick(["one", "two", "tree"])}` };
      case 7: {
        const name = `m${names++}`;
        const then = schema([...path, "then", "properties", name], depth - 2);
        return {
          type: "object",
          if: { required: [name] },
          // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
          then: { properties: { [name]: then } },
          properties: { [name]: true },
        };
      }
      case 0:
        return { type: "array", items: schema([...path, "items"], depth - 1) };
      case 1:
      case 2: {
        const keyword = random.pick(["anyOf", "oneOf"]);
        const kinds = Array.from({ length: 2 + random.integer(2) }, () => `k${names++}`);
        return { [keyword]: kinds.map((kind, index) => object([...path, keyword, index], depth - 1, kind)) };
      }
      case 3:
        return { allOf: [object([...path, "allOf", 0], depth - 1), { type: "object" }] };
      case 4:
        return leaf(path);
      default:
        return object(path, depth);
    }
  };
  const two = object(["$defs", "two"], 1);
  const one = {
    type: "object",
    properties: { two: { $ref: "#/$defs/two" }, own: leaf(["$defs", "one", "properties", "own"]) },
  };
  const value = schema(["$defs", "tree", "properties", "value"], 1);
  const kids = { type: "array", items: { $ref: "#/$defs/tree" } };
  const tree = { type: "object", properties: { value, kids } };
  const root = object([], 3);
  return { schema: { ...root, $defs: { one, two, tree } }, breaks };
}

/** The hashes of the findings of a pair. @throws Error unless the rest of it is safe. */
async function found(older: Schema, newer: Schema): Promise<readonly string[]> {
  const { verdict, findings, rest } = await jsonCompatibility(older, newer, "older", {
    format: "json-schema",
    older,
    newer,
    contentModel: "declared-writer",
  });
  const errors = findings.filter(({ severity }) => severity === "error");
  if (verdict === "breaking" && rest !== "safe")
    throw new Error(`The rest is ${rest}: ${JSON.stringify(older)} ${JSON.stringify(newer)}`);
  return errors.map(({ hash }) => hash);
}

/**
 * Plants up to five breaks in a random schema: the hashes of the findings are those that each break has alone, so that
 * waivers of all but one leave that one.
 *
 * @returns the number of breaks.
 * @throws Error with both schemas otherwise.
 */
export async function plantBreaks(random: Random): Promise<number> {
  const { schema, breaks } = plantable(random);
  const planted = breaks.filter(() => random.chance(Math.min(1, 5 / breaks.length))).slice(0, 5);
  const withBreaks = (some: readonly Break[]): Schema => {
    const reader = structuredClone(schema);
    for (const plant of some) plant(reader);
    return reader;
  };
  const all = await found(schema, withBreaks(planted));
  const alone: string[] = [];
  for (const one of planted) alone.push(...(await found(schema, withBreaks([one]))));
  if (Array.from(new Set(all)).toSorted().join() !== Array.from(new Set(alone)).toSorted().join())
    throw new Error(
      `${planted.length} breaks, found ${all.join()} together and ${alone.join()} alone: ${JSON.stringify(schema)} ${JSON.stringify(withBreaks(planted))}`,
    );
  return planted.length;
}
