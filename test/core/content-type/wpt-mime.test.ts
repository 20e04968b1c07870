import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatContentType, parseContentType } from "../../../src/core/content-type/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { needsVectors, vectors } from "../../vectors.support.ts";

interface Case {
  readonly input: string;
  /** The result of WHATWG MIME Sniffing, or `null` for a failure. */
  readonly output: string | null;
}

function isCase(value: unknown): value is Case {
  return typeof value === "object" && value !== null && "input" in value && "output" in value;
}

const files = ["mime-types.json", "generated-mime-types.json"];

function cases(): readonly Case[] {
  return files.flatMap((file) => {
    const content: unknown = JSON.parse(readFileSync(join(vectors, "suites/wpt-mime", file), "utf8"));
    return Array.isArray(content) ? content.filter(isCase) : [];
  });
}

/** The serialization of WHATWG MIME Sniffing: names in lower case. */
function read(input: string): string | null {
  try {
    const { type, parameters } = parseContentType(input);
    return formatContentType(
      type,
      parameters.map(({ name, value }) => ({ name: name.toLowerCase(), value })),
    );
  } catch (error) {
    if (error instanceof SobreError && error.code === "InvalidContentType") return null;
    throw error;
  }
}

const tspecials = "RFC 2045 section 5.1: tspecials must be in quoted-string to be used as parameter values";
const linearSpace = "RFC 822 section 3.1.4: linear white space may stand between any two tokens and is no part of them";
const quotedString = "RFC 822 section 3.3: a quoted-string ends with a quotation mark";
const oneValue = "RFC 2045 section 5.1: a value is one token or one quoted-string";

/** Where WHATWG and RFC 2045 part: the input, what we make of it, and the clause that wants it so. */
const departures: readonly (readonly [input: string, output: string, clause: string])[] = [
  ...Array.from("(),/:<=>?@[]", (special) => [`x/x;x=${special};bonus=x`, "x/x;bonus=x", tspecials] as const),
  ["text/html;charset=gbk(", "text/html", tspecials],
  ["text/html;x=(;charset=gbk", "text/html;charset=gbk", tspecials],
  ['text/html;charset=gbk"', "text/html", tspecials],
  ["text/html;charset =gbk", "text/html;charset=gbk", linearSpace],
  ["text/html;charset= gbk", "text/html;charset=gbk", linearSpace],
  ['text/html;charset="gbk', "text/html", quotedString],
  ['x/x;test="\\', "x/x", quotedString],
  ['text/html;charset="gbk"x', "text/html", oneValue],
];

describe("the web platform tests for MIME types", needsVectors("suites/wpt-mime"), () => {
  it("agree in all 922 cases but those where RFC 2045 says otherwise, at most 30", () => {
    const all = cases();
    const differing = all
      .filter(({ input, output }) => read(input) !== output)
      .map(({ input }) => [input, read(input)] as const);

    expect(all).toHaveLength(922);
    expect(differing.length).toBeLessThanOrEqual(30);
    expect(new Map(differing)).toEqual(new Map(departures.map(([input, output]) => [input, output])));
  });
});

describe("where RFC 2045 and WHATWG differ", () => {
  it.each(departures)("%j is read as %j: %s", (input, output, clause) => {
    expect(clause).toMatch(/^RFC \d+ section /);
    expect(read(input)).toBe(output);
  });
});
