import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { type Import, imports, sources } from "./imports.support.ts";

/** The layers of CONTRIBUTING.md, from the lowest up; imports go downward or stay. The longest matching folder counts. */
const layers: readonly (readonly string[])[] = [
  ["src/errors", "src/values", "src/content-type", "src/envelope", "src/time", "src/options"],
  ["src/codec", "src/engine", "src/broker", "src/message", "src/json-schema", "src/protobuf", "src/amqp/values"],
  [
    "codecs",
    "src/cloud-events",
    "src/stages",
    "src/bridges",
    "src/client",
    "src/engines/memory",
    "src/engines/emulator-config",
    "src/contract",
    "src/conformance",
    "src/testing",
  ],
  [
    "src/amqp/message",
    "src/amqp/connection",
    "src/amqp/index.ts",
    "src/http",
    "src/engines/durable",
    "src/engines/postgres",
    "src/engines/rabbitmq",
    "src/engines/azure",
    "src/inbox",
    "src/create-client.ts",
    "src/server",
    "src/migration",
    "src/bridge",
  ],
  ["src/inspector", "src/cli"],
];

/** Imports that a layer would allow and that a folder never has. */
interface Barrier {
  readonly why: string;
  readonly from: readonly string[];
  readonly never: readonly string[];
}

const barriers: readonly Barrier[] = [
  {
    why: "An engine never reads a payload and knows no client.",
    from: ["src/engine", "src/engines", "src/broker"],
    never: ["codecs", "src/codec", "src/client", "src/conformance"],
  },
  {
    why: "An engine speaks formats; it never serves.",
    from: ["src/engines"],
    never: ["src/server"],
  },
  {
    why: "Clients and suites work with any engine.",
    from: ["src/client", "src/conformance", "src/stages", "src/bridges", "src/contract"],
    never: ["src/engines"],
  },
  {
    why: "Below the borders codecs are handed in, never chosen.",
    from: ["src/codec", "src/message", "src/cloud-events", "src/stages", "src/bridges", "src/client", "src/contract"],
    never: ["codecs"],
  },
  {
    why: "A codec never knows a broker.",
    from: ["codecs"],
    never: ["src/engine", "src/engines", "src/client", "src/stages", "src/conformance", "src/bridges", "src/testing"],
  },
  {
    why: "Formats know no engine and no client.",
    from: ["src/amqp", "src/http"],
    never: ["src/engines", "src/client"],
  },
  {
    why: "Nothing imports the command.",
    from: ["src/inspector"],
    never: ["src/cli"],
  },
];

/** They list codecs, and wrap around them. */
const listsOfCodecs: ReadonlySet<string> = new Set([
  "codecs/index.ts",
  "codecs/legacy/index.ts",
  "codecs/legacy/legacy-json.ts",
]);

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

function layerOf(file: string): number | undefined {
  const [, layer] =
    layers
      .flatMap((folders, index) => folders.map((folder) => [folder, index] as const))
      .filter(([folder]) => isIn(file, folder))
      .toSorted(([a], [b]) => b.length - a.length)[0] ?? [];
  return layer;
}

const written = ({ from, to }: Import): string => `${from} imports ${to}`;

describe("the layers", () => {
  it("know every source file but the root", () => {
    expect(sources.filter((file) => layerOf(file) === undefined)).toEqual(["src/index.ts"]);
  });

  it("are those on the map of CONTRIBUTING.md", () => {
    const rows = readFileSync(new URL("../../CONTRIBUTING.md", import.meta.url), "utf8").matchAll(
      /^\| (\d?) .*? \| `((?:src|codecs)[^`]*?)(?:\/\*)?` +\|/gm,
    );
    let layer = -1;
    const mapped = Array.from(rows, ([, digit = "", folder = ""]) => {
      if (digit !== "") layer = Number(digit);
      return `${layer} ${folder}`;
    });
    const known = layers.flatMap((folders, index) =>
      folders
        .filter((folder) => sources.some((file) => file.startsWith(`${folder}/`)))
        .map((folder) => `${index} ${folder}`),
    );

    expect(mapped.toSorted()).toEqual(known.toSorted());
  });

  it("import only downward or within their own", () => {
    const upward = imports.filter(({ from, to }) => (layerOf(to) ?? 0) > (layerOf(from) ?? layers.length));

    expect(upward.map(written)).toEqual([]);
  });

  it.each(barriers)("$why", ({ from, never }) => {
    const crossing = imports.filter(
      (edge) => from.some((folder) => isIn(edge.from, folder)) && never.some((folder) => isIn(edge.to, folder)),
    );

    expect(crossing.map(written)).toEqual([]);
  });

  it("keep codecs apart from each other, but for those that list them", () => {
    const crossing = imports.filter(({ from, to }) => {
      const own = from.split("/").slice(0, 2).join("/");
      return isIn(from, "codecs") && isIn(to, "codecs") && !listsOfCodecs.has(from) && !isIn(to, own);
    });

    expect(crossing.map(written)).toEqual([]);
  });

  it("keep Node's own modules out of layers 0 and 1", () => {
    const wrong = imports.filter(({ from, to }) => to.startsWith("node:") && (layerOf(from) ?? 2) <= 1);

    expect(wrong.map(written)).toEqual([]);
  });
});

describe("SQLite, which is experimental on Node 22", () => {
  it("is imported by nothing but the durable engine and the inbox", () => {
    const others = imports.filter(
      ({ from, to }) =>
        to === "node:sqlite" && !["src/engines/durable", "src/inbox"].some((folder) => isIn(from, folder)),
    );

    expect(imports.some(({ to }) => to === "node:sqlite")).toBe(true);
    expect(others.map(written)).toEqual([]);
  });
});

describe("third-party packages", () => {
  /** content-type is one parser in three steps: types, parameters and ranges. */
  const several = new Set(["content-type"]);

  it("are imported by one module each", () => {
    const importers = new Map<string, Set<string>>();
    for (const { from, to } of imports) {
      if (/^(node:|src\/|codecs\/)/.test(to)) continue;
      const name = to
        .split("/")
        .slice(0, to.startsWith("@") ? 2 : 1)
        .join("/");
      importers.set(name, (importers.get(name) ?? new Set()).add(several.has(name) ? dirname(from) : from));
    }

    const spread = [...importers].filter(([, files]) => files.size > 1);

    expect(importers.size).toBeGreaterThan(5);
    expect(spread).toEqual([]);
  });
});
