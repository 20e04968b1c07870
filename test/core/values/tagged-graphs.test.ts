import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { annotate, annotationsOf } from "../../../src/core/values/annotations.ts";
import { ContentStream, MultiArray } from "../../../src/core/values/multi-array.ts";
import { valueFromJson } from "../../../src/core/values/value-json-reading.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";

type Kind = "object" | "list" | "map" | "array" | "stream";

/** One container of a random graph: its kind, and the numbers of the containers that it holds; of others, scalars. */
interface Plan {
  readonly kind: Kind;
  readonly holds: readonly (readonly [name: string, target: number])[];
  readonly typed: boolean;
  readonly data: readonly number[];
  readonly hidden: readonly (readonly [name: string, target: number])[];
}

const names = fc.constantFrom("a", "b", "10", "2", "$ref", "$id", "__proto__", "$super", "c");
const links = fc.array(fc.tuple(names, fc.nat(12)), { maxLength: 4 });
const plans: fc.Arbitrary<readonly Plan[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Kind>("object", "object", "list", "map", "array", "stream"),
    holds: links,
    typed: fc.boolean(),
    data: fc.array(fc.nat(12), { maxLength: 2 }),
    hidden: fc.array(fc.tuple(names, fc.nat(12)), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 9 },
);

const put = (target: object, name: string, value: unknown): void => {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
};

/** The first container of the graph that plans describe. */
function graphOf(all: readonly Plan[]): unknown {
  const items = all.map((): unknown[] => []);
  const made = all.map(({ kind, holds }, index): object => {
    const own = items[index] ?? [];
    if (kind === "list") return own;
    if (kind === "map") return new Map();
    if (kind === "array") return new MultiArray([holds.length], own);
    return kind === "stream" ? new ContentStream(own) : {};
  });
  const at = (target: number): unknown => (target < made.length ? made[target] : target);
  for (const [index, { kind, holds, typed, data, hidden }] of all.entries()) {
    const target = made[index] ?? {};
    for (const [name, inner] of holds) {
      if (target instanceof Map) target.set(at(inner), name).set(name, at(inner));
      else if (kind === "object") put(target, name, at(inner));
      else items[index]?.push(at(inner));
    }
    if (target instanceof MultiArray || target instanceof ContentStream) continue;
    const superMembers = {};
    for (const [name, inner] of hidden) put(superMembers, name, at(inner));
    annotate(target, {
      ...(typed ? { typeName: `T${index}` } : {}),
      ...(data.length > 0 ? { data: data.map(at) } : {}),
      ...(hidden.length > 0 && kind === "object" ? { superMembers } : {}),
    });
  }
  return made[0];
}

/** A text that two values share only if they are the same graph, whatever the order of the members of their objects. */
function textOf(value: unknown, seen: Map<object, number> = new Map()): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const known = seen.get(value);
  if (known !== undefined) return `#${known}`;
  seen.set(value, seen.size);
  const { typeName, data, superMembers } = annotationsOf(value) ?? {};
  const inner = (one: unknown): string => textOf(one, seen);
  const members = (object: object): string =>
    Object.keys(object)
      .toSorted()
      .map((name) => `${name}=${inner(Object.getOwnPropertyDescriptor(object, name)?.value)}`)
      .join();
  const contents = Array.isArray(value)
    ? `[${value.map(inner).join()}]`
    : value instanceof Map
      ? `map(${Array.from(value, ([key, one]) => `${inner(key)}:${inner(one)}`).join()})`
      : value instanceof MultiArray
        ? `array(${value.lengths.join()};${value.values.map(inner).join()})`
        : value instanceof ContentStream
          ? `stream(${value.contents.map(inner).join()})`
          : `{${members(value)}}`;
  const appended = data === undefined ? "" : `data[${data.map(inner).join()}]`;
  const hidden = superMembers === undefined ? "" : `super{${members(superMembers)}}`;
  return `${typeName ?? ""}${contents}${appended}${hidden}`;
}

/** The same JSON with the members of every object in another order. */
function reordered(json: unknown, byRandom: (left: string, right: string) => number): unknown {
  if (Array.isArray(json)) return json.map((item) => reordered(item, byRandom));
  if (typeof json !== "object" || json === null) return json;
  const entries: readonly [string, unknown][] = Object.entries(json);
  const moved = {};
  for (const [name, value] of entries.toSorted(([left], [right]) => byRandom(left, right)))
    put(moved, name, reordered(value, byRandom));
  return moved;
}

describe("graphs in the $ rendering", () => {
  it("are read back as they are, with what is shared, cyclic, appended and hidden", () => {
    fc.assert(
      fc.property(plans, (all) => {
        const graph = graphOf(all);

        const read = valueFromJson(JSON.parse(JSON.stringify(valueToJson(graph))));

        expect(textOf(read)).toBe(textOf(graph));
      }),
    );
  });

  it("are read back with the members of each object in any order, where a reference may come before what it names", () => {
    fc.assert(
      fc.property(plans, fc.compareFunc(), (all, order) => {
        const graph = graphOf(all);
        const json: unknown = JSON.parse(JSON.stringify(valueToJson(graph)));

        expect(textOf(valueFromJson(reordered(json, (left, right) => order(left, right))))).toBe(textOf(graph));
      }),
    );
  });

  it.each([
    ["a reference in front of its object", { a: { $ref: "1" }, b: { $id: "1", c: 5 } }],
    ["a hidden member in front", { $super: { x: { $ref: "2" } }, x: { $id: "2", y: 1 } }],
    ["appended data in front", { $data: [{ $ref: "3" }], list: { $id: "3", $values: [1] } }],
    ["a name that is a number", { 5: { $ref: "4" }, $type: "T", a: { $id: "4", $map: [[1, 2]] } }],
  ])("are read with %s", (_, json) => {
    expect(JSON.stringify(valueToJson(valueFromJson(json)))).toContain('"$ref":"1"');
  });

  it("refuse a reference to what is nowhere, and a number that is given twice", () => {
    expect(() => valueFromJson({ a: { $ref: "9" } })).toThrow("refers to an $id that nothing has");
    expect(() => valueFromJson([{ $ref: "1" }, { $id: "1" }, { $id: "1" }])).toThrow("duplicate $id");
  });
});
