import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { type Import, imports, sources } from "./imports.support.ts";

/** The wings of CONTRIBUTING.md, from the lowest up. Imports go downward or stay; wings of one rank know nothing of each other. */
const ranks: readonly (readonly string[])[] = [
  ["core"],
  ["codecs"],
  ["wire"],
  ["broker"],
  ["client"],
  ["serve", "migration", "contract"],
  ["cli"],
];

/** Imports that go downward and that a folder never has all the same. */
interface Barrier {
  readonly why: string;
  readonly from: readonly string[];
  readonly never: readonly string[];
  /** Files that the barrier does not hold. */
  readonly except?: readonly string[];
}

const barriers: readonly Barrier[] = [
  {
    why: "A broker never reads a payload.",
    from: ["src/broker", "src/core/engine"],
    never: ["codecs", "src/core/codec"],
    except: ["src/broker/conformance"],
  },
  {
    why: "What a broker decides is independent of the stores that it decides over.",
    from: ["src/broker/policy"],
    never: [
      "src/broker/memory",
      "src/broker/durable",
      "src/broker/postgres",
      "src/broker/rabbitmq",
      "src/broker/azure",
    ],
  },
  {
    why: "Clients and suites work with any engine.",
    from: ["src/client", "src/contract", "src/broker/conformance"],
    never: [
      "src/broker/memory",
      "src/broker/durable",
      "src/broker/postgres",
      "src/broker/rabbitmq",
      "src/broker/azure",
    ],
    // The inbox shares the database's driver, and the harness of tests brings an engine along.
    except: ["src/client/create-client.ts", "src/client/inbox", "src/client/testing"],
  },
  {
    why: "Codecs are handed to a client, never chosen by it.",
    from: ["src/client", "src/contract"],
    never: ["codecs"],
  },
];

/** They list codecs, and wrap around them. */
const listsOfCodecs: ReadonlySet<string> = new Set([
  "codecs/index.ts",
  "codecs/legacy/index.ts",
  "codecs/legacy/legacy-json.ts",
]);

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
const isInSome = (path: string, folders: readonly string[]): boolean => folders.some((folder) => isIn(path, folder));

function wingOf(file: string): string | undefined {
  const [top = "", folder = "", ...rest] = file.split("/");
  if (top === "codecs") return "codecs";
  return top === "src" && rest.length > 0 ? folder : undefined;
}

const rankOf = (wing: string | undefined): number => ranks.findIndex((wings) => wings.includes(wing ?? ""));

const written = ({ from, to }: Import): string => `${from} imports ${to}`;

describe("the wings", () => {
  it("hold every source file but the root", () => {
    expect(sources.filter((file) => rankOf(wingOf(file)) < 0)).toEqual(["src/index.ts"]);
  });

  it("are the eight of src, and the codecs", () => {
    const wings = new Set(sources.map(wingOf).filter((wing) => wing !== undefined));

    expect([...wings].toSorted()).toEqual(ranks.flat().toSorted());
  });

  it("are on the map of CONTRIBUTING.md, folder by folder", () => {
    const rows = readFileSync(new URL("../../CONTRIBUTING.md", import.meta.url), "utf8").matchAll(
      /^\| .*? \| `((?:src|codecs)[^`]*?)(?:\/\*)?` +\|/gm,
    );
    const mapped = Array.from(rows, ([, folder = ""]) => folder);
    const lost = sources.filter((file) => file !== "src/index.ts" && !isInSome(file, mapped));
    const empty = mapped.filter((folder) => !sources.some((file) => isIn(file, folder)));

    expect(lost).toEqual([]);
    expect(empty).toEqual([]);
  });

  it("import only downward or within their own", () => {
    const upward = imports.filter(({ from, to }) => {
      const [own, other] = [wingOf(from), wingOf(to)];
      return own !== undefined && other !== undefined && own !== other && rankOf(other) >= rankOf(own);
    });

    expect(upward.map(written)).toEqual([]);
  });

  it.each(barriers)("$why", ({ from, never, except = [] }) => {
    const crossing = imports.filter(
      (edge) => isInSome(edge.from, from) && !isInSome(edge.from, except) && isInSome(edge.to, never),
    );

    expect(crossing.map(written)).toEqual([]);
  });

  it("keep codecs apart from each other, except for those that list them", () => {
    const crossing = imports.filter(({ from, to }) => {
      const own = from.split("/").slice(0, 2).join("/");
      return isIn(from, "codecs") && isIn(to, "codecs") && !listsOfCodecs.has(from) && !isIn(to, own);
    });

    expect(crossing.map(written)).toEqual([]);
  });

  it("keep Node's own modules out of the core", () => {
    const wrong = imports.filter(({ from, to }) => to.startsWith("node:") && isIn(from, "src/core"));

    expect(wrong.map(written)).toEqual([]);
  });
});

/** The lines of source files outside the host that match, without comments. */
const linesWith = (pattern: RegExp, files: readonly string[]): readonly string[] =>
  files
    .filter((file) => !isIn(file, "src/core/host") && !file.endsWith("/message-keep.ts"))
    .flatMap((file) =>
      readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")
        .split("\n")
        .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line) && pattern.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );

describe("the host, src/core/host", () => {
  it("is alone in looking up what a platform may lack by its name", () => {
    expect(linesWith(/\bglobalThis\b|Reflect\.get\((?:Buffer|process)\b/, sources)).toEqual([]);
  });

  it("is alone in calling methods of Buffer that Node does not document", () => {
    const undocumented = /\b(?:ascii|base64|base64url|hex|latin1|ucs2|utf8)(?:Slice|Write)\b/;

    expect(linesWith(undocumented, sources)).toEqual([]);
  });

  it("is what the rest of the core reaches Node's globals through", () => {
    const core = sources.filter((file) => isIn(file, "src/core") && !isIn(file, "src/core/regex"));

    expect(linesWith(/(?<![.\w])(?:Buffer|process|setImmediate)\./, core)).toEqual([]);
  });
});

describe("SQLite, which is experimental on Node 22", () => {
  it("is imported by nothing but the durable engine and the inbox", () => {
    const others = imports.filter(
      ({ from, to }) => to === "node:sqlite" && !isInSome(from, ["src/broker/durable", "src/client/inbox"]),
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
