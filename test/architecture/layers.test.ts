import { readFileSync, globSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Folder → layer, as CONTRIBUTING.md lists them. The longest matching folder counts. */
const layers: readonly (readonly [folder: string, layer: number])[] = [
  ["src/errors", 0],
  ["src/values", 0],
  ["src/content-type", 0],
  ["src/envelope", 0],
  ["src/time", 0],
  ["src/options", 1],
  ["src/codec", 1],
  ["src/engine", 1],
  ["src/message", 1],
  ["src/json-schema", 1],
  ["src/protobuf", 1],
  ["src/amqp/values", 1],
  ["codecs", 2],
  ["src/cloud-events", 2],
  ["src/stages", 2],
  ["src/bridges", 2],
  ["src/client", 2],
  ["src/engines", 2],
  ["src/contract", 2],
  ["src/conformance", 2],
  ["src/testing", 2],
  ["src/amqp", 3],
  ["src/http", 3],
  ["src/engines/azure", 3],
  ["src/server", 3],
  ["src/migration", 3],
  ["src/cli", 4],
];

interface Import {
  readonly from: string;
  readonly to: string;
}

const sources = globSync(["src/**/*.ts", "codecs/**/*.ts"], { cwd: root });
const imports: readonly Import[] = sources.flatMap((from) =>
  Array.from(
    readFileSync(join(root, from), "utf8").matchAll(/^(?:import|export)\b[^"';]*?from "([^"]+)"/gm),
    ([, to = ""]) => ({
      from,
      to: to.startsWith(".") ? relative(root, join(root, dirname(from), to)) : to,
    }),
  ),
);

function folderOf(file: string): (typeof layers)[number] | undefined {
  const matching = layers.filter(([folder]) => file.startsWith(`${folder}/`));
  return matching.toSorted(([a], [b]) => b.length - a.length)[0];
}

describe("the layers", () => {
  it("know every source folder", () => {
    const strays = sources.filter((file) => folderOf(file) === undefined && file !== "src/index.ts");

    expect(strays).toEqual([]);
  });

  it("import only downward or within their own", () => {
    const upward = imports.filter(({ from, to }) => {
      const importer = folderOf(from);
      const imported = folderOf(to);
      return importer !== undefined && imported !== undefined && imported[1] > importer[1];
    });

    expect(upward).toEqual([]);
  });

  it("keep codecs apart from each other, from brokers and from everything but layers 0 and 1", () => {
    const wrong = imports.filter(({ from, to }) => {
      // The two that only list codecs.
      if (!from.startsWith("codecs/") || from === "codecs/index.ts" || from === "codecs/legacy/index.ts") return false;
      const own = from.split("/").slice(0, 2).join("/");
      return (
        to.startsWith("src/engine") ||
        (to.startsWith("codecs/") && !to.startsWith(`${own}/`)) ||
        (folderOf(to)?.[1] ?? 0) > (to.startsWith(own) ? 2 : 1)
      );
    });

    expect(wrong).toEqual([]);
  });

  it("keep engines apart from codecs and clients, and clients and suites apart from engines", () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        (from.startsWith("src/engine") && /^(codecs\/|src\/codec\/|src\/client\/)/.test(to)) ||
        (/^src\/(client|conformance)\//.test(from) && to.startsWith("src/engines/")),
    );

    expect(wrong).toEqual([]);
  });

  it("keep Node's own modules out of layers 0 and 1", () => {
    const wrong = imports.filter(({ from, to }) => to.startsWith("node:") && (folderOf(from)?.[1] ?? 9) <= 1);

    expect(wrong).toEqual([]);
  });
});

describe("third-party packages", () => {
  /** content-type is one parser in three steps: types, parameters and ranges. */
  const several = new Set(["content-type"]);

  it("are imported by one module each", () => {
    const importers = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      if (/^(\.|node:|src\/|codecs\/)/.test(to)) continue;
      const name = to
        .split("/")
        .slice(0, to.startsWith("@") ? 2 : 1)
        .join("/");
      importers.set(name, (importers.get(name) ?? new Set()).add(several.has(name) ? dirname(from) : from));
    }

    const spread = [...importers].filter(([, files]) => files.size > 1);

    expect([...importers.keys()].toSorted()).not.toEqual([]);
    expect(spread).toEqual([]);
  });
});

describe("files", () => {
  it("have at most 400 lines", () => {
    const long = sources.filter((file) => readFileSync(join(root, file), "utf8").split("\n").length > 401);

    expect(long).toEqual([]);
  });
});
