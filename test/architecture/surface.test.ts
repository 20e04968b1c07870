import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Declared, type EntryPoint, entryPoints } from "./surface.support.ts";

const lists = "surface";
const fileOf = ({ specifier }: EntryPoint): string => `${specifier.replaceAll("/", ".")}.txt`;
const root = entryPoints.find(({ specifier }) => specifier === "sobre");
const published = new Map(
  entryPoints.flatMap(({ names }) => Array.from(names.values(), (one) => [one?.id, one] as const)),
);

/** Everything that signatures lead to, with what led there. */
function reachedFrom(starts: Iterable<Declared | undefined>): ReadonlyMap<string, Declared> {
  const reached = new Map<string, Declared>();
  const open = [...starts];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (reached.has(one.id)) continue;
    reached.set(one.id, one);
    open.push(...one.names());
  }
  return reached;
}

const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");

describe("the public surface", () => {
  it.each(entryPoints)(
    "of $specifier is as listed; `npx vitest run test/architecture --update` writes the list",
    async (entry) => {
      const lines = Array.from(entry.names, ([name, one]) => `${one?.isValue === false ? "type " : ""}${name}`);

      await expect(`${lines.toSorted().join("\n")}\n`).toMatchFileSnapshot(`${lists}/${fileOf(entry)}`);
    },
  );

  it("has a list for every entry point, and none for another", () => {
    expect(readdirSync(new URL(lists, import.meta.url)).toSorted()).toEqual(entryPoints.map(fileOf).toSorted());
  });

  it("is listed name by name", () => {
    expect(entryPoints.filter(({ wildcards }) => wildcards.length > 0)).toEqual([]);
  });

  it("has at most 120 names at the root", () => {
    expect(root?.names.size).toBeGreaterThan(0);
    expect(root?.names.size).toBeLessThanOrEqual(120);
  });

  it("exports from the root every type that a value of the root names", () => {
    const ids = new Set(Array.from(root?.names.values() ?? [], (one) => one?.id));
    const missing = Array.from(root?.names.values() ?? [])
      .filter((one) => one?.isValue === true)
      .flatMap((value) => value?.names().map((type) => ({ value: value.name, type })) ?? [])
      .filter(({ type }) => !type.isComputed && !ids.has(type.id))
      .map(({ value, type }) => `${value} names ${type.id}`);

    expect(missing).toEqual([]);
  });

  it("exports every type that a public name leads to", () => {
    const reached = reachedFrom(published.values());
    const missing = [...reached.values()].filter(({ id, isComputed }) => !isComputed && !published.has(id));

    expect(missing.map(({ id }) => id).toSorted()).toEqual([]);
  });

  it("gives a name one meaning in all entry points", () => {
    const meanings = new Map<string, Set<string | undefined>>();
    for (const { names } of entryPoints) {
      for (const [name, one] of names) meanings.set(name, (meanings.get(name) ?? new Set()).add(one?.id));
    }

    expect([...meanings].filter(([, ids]) => ids.size > 1)).toEqual([]);
  });

  it("has the moved names where the changelog says", () => {
    const homes = Array.from(
      changelog.matchAll(/^- `(sobre\/[\w/-]+)`: (`\w+`(?:, `\w+`)*)\.$/gm),
      ([, home, names = ""]) => ({
        home,
        names: Array.from(names.matchAll(/\w+/g), ([name]) => name),
      }),
    );
    const wrong = homes.flatMap(({ home, names }) => {
      const entry = entryPoints.find(({ specifier }) => specifier === home);
      return names.filter((name) => entry?.names.has(name) !== true);
    });

    expect(homes.length).toBe(7);
    expect(wrong).toEqual([]);
  });

  it("has the renamed names where the changelog says, and the old ones no more", () => {
    const [, table = ""] = /### Renamed before 1\.0\n([^]*)/.exec(changelog) ?? [];
    const rows = Array.from(
      table.matchAll(/^\| `(\w+)` +\| `(\w+)` +\| `(sobre[\w/-]*)` +\|$/gm),
      ([, was = "", is = "", where = ""]) => ({ was, is, where }),
    );
    const wrong = rows.filter(({ was, is, where }) => {
      const names = entryPoints.find(({ specifier }) => specifier === where)?.names;
      return names?.has(is) !== true || names.has(was);
    });

    expect(rows.length).toBeGreaterThanOrEqual(6);
    expect(wrong).toEqual([]);
  });
});

describe("the changelog", () => {
  it("has at most 150 lines", () => {
    expect(changelog.split("\n").length).toBeLessThanOrEqual(150);
  });
});
