import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkCompatibility, type CompatibilityOptions } from "../../src/contract/index.ts";
import { formats as serviceFormats } from "../../src/core/json-schema/formats.ts";
import { seeded } from "../random.support.ts";
import { hasFormat } from "../../src/contract/json-schema/formats.ts";
import { formatLanguages } from "../../src/contract/json-schema/format-languages.ts";
import { matcherOf } from "../../src/contract/json-schema/pattern-matcher.ts";

const text = (more: object = {}) => ({ type: "string", ...more });
const format = (name: string) => text({ format: name });
const compare = (older: unknown, newer: unknown, formats: CompatibilityOptions["formats"] = "assertion") =>
  checkCompatibility({ format: "json-schema", older, newer, formats, contentModel: "as-written" });

describe("formats that are asserted", () => {
  it.each([
    ["a UUID and its length", format("uuid"), text({ minLength: 36 })],
    ["a date and its pattern", format("date"), text({ pattern: "^[0-9]{4}-[01]" })],
    ["a pattern of addresses", text({ pattern: "^10\\.0\\.0\\.[0-9]$" }), format("ipv4")],
    ["a time with seconds", text({ pattern: "^0[0-9]:30:00Z$" }), format("time")],
    ["addresses among host names", format("ipv4"), format("hostname")],
    ["a path among references", text({ pattern: "^/[a-z/]*$" }), format("uri-reference")],
  ])("are proven against each other and against patterns and lengths: %s", async (_, older, newer) => {
    expect((await compare(older, newer)).verdict).toBe("safe");
  });

  it.each([
    ["a format that is added", text(), format("date"), "date"],
    ["a time where a date was", format("date-time"), format("date"), "date"],
    ["a date where a time was", format("date"), format("date-time"), "date-time"],
    ["another kind of address", format("ipv4"), format("ipv6"), "ipv6"],
    ["references where addresses were wanted", format("uri-reference"), format("uri"), "uri"],
    ["letters that a URI lacks", format("iri"), format("uri"), "uri"],
    ["any pattern", format("regex"), format("uuid"), "uuid"],
  ])(
    "break with a text that has the one and lacks the other for every validator: %s",
    async (_, older, newer, name) => {
      const { verdict, findings } = await compare(older, newer);
      const value = String(findings[0]?.witness?.value);

      expect(verdict).toBe("breaking");
      expect(hasFormat(name, value)).toBe(false);
    },
  );

  it.each([
    ["one of somebody's own", format("sku"), { type: "integer" }, 'which texts have the format "sku" is not known'],
    ["two of them", format("sku"), format("gtin"), 'which texts have the format "gtin" is not known'],
    [
      "texts that validators take differently",
      format("uuid"),
      text({ maxLength: 36 }),
      'differ on some texts of the format "uuid"',
    ],
  ])("give no witness where no text certainly has them, and the verdict says so: %s", async (_, older, newer, why) => {
    const { verdict, tried } = await compare(older, newer);

    expect(verdict).toBe("unproven");
    expect(tried?.join()).toContain(why);
  });
});

describe("formats that may be asserted or not", () => {
  it.each([
    ["one that is added", text(), format("date")],
    ["one that goes for another", format("date-time"), format("date")],
    ["one whose texts have a length", format("uuid"), text({ minLength: 36 })],
  ])("are what the verdict names as undecided: %s", async (_, older, newer) => {
    const { verdict, tried } = await compare(older, newer, "either");

    expect(verdict).toBe("unproven");
    expect(tried?.join()).toContain('formats "assertion" or "annotation" says which');
  });

  it("prove what texts of a pattern have", async () => {
    expect((await compare(text({ pattern: "^10\\.0\\.0\\.[0-9]$" }), format("ipv4"), "either")).verdict).toBe("safe");
  });
});

describe("the languages of formats", () => {
  it.each([
    ["date", ["2024-02-29", "2000-02-29"], ["2023-02-29", "1900-02-29", "2024-04-31", "2024-1-01"]],
    ["time", ["12:00:00Z", "23:59:60Z", "01:29:60+01:30", "15:59:60-08:00"], ["12:00:60Z", "24:00:00Z", "12:00:00"]],
    ["date-time", ["2024-02-29T12:00:00.5+02:00", "1998-12-31T23:59:60Z"], ["2023-02-29T12:00:00Z", "2024-02-29"]],
    ["duration", ["P1Y2M3DT4H5M6S", "PT1H", "P2W"], ["P", "PT", "P2S", "1D", "P1"]],
    ["email", ["a.b+c@example.org"], ["a", "a@", "a b@example.org", ".a@example.org"]],
    ["hostname", ["a", "example.org"], ["-a", "a_b", "a..b", "a-", `${"a".repeat(64)}.org`]],
    ["ipv4", ["0.0.0.0", "255.255.255.255"], ["256.0.0.1", "1.2.3", "01.2.3.4"]],
    ["ipv6", ["::", "1:2::192.168.0.1", "1:2:3:4:5:6:7:8"], ["1:2", ":::", "1:2:3:4:5:6:7:8:9", "12345::"]],
    ["uri", ["https://a@b:8/c?d#e", "urn:a:b"], ["//a", "a", "http:// a"]],
    ["iri", ["https://b\u{e9}/"], ["https://b\u{e9} /"]],
    ["uri-template", ["/a/{b:3}{?c,d*}"], ["/a/{b", "/a b"]],
    ["uuid", ["6ba7b810-9dad-11d1-80b4-00c04fd430c8"], ["6ba7b8109dad11d180b400c04fd430c8"]],
    ["json-pointer", ["", "/a~0/b"], ["a", "/a~2"]],
    ["relative-json-pointer", ["0", "1/a", "0#"], ["-1/a", "01/a", "/a"]],
    ["regex", ["^a+$", ""], ["a(", "["]],
  ] as const)("know which texts are a %s and which are none", (name, having, lacking) => {
    expect(having.filter((one) => hasFormat(name, one) !== true)).toEqual([]);
    expect(lacking.filter((one) => hasFormat(name, one) !== false)).toEqual([]);
  });

  it.each(["email", "hostname", "uuid", "time", "ipv6", "uri", "duration", "relative-json-pointer"])(
    "hold the texts that are surely a %s within those that may be",
    (name) => {
      const { inner, outer } = formatLanguages.get(name) ?? { inner: "a^", outer: "a^" };

      fc.assert(
        fc.property(fc.stringMatching(new RegExp(inner, "u")), (one) => {
          expect([matcherOf(inner).test(one), matcherOf(outer).test(one)]).toEqual([true, true]);
        }),
        { numRuns: 15 },
      );
    },
  );
});

/** Texts with one character more, less or other. */
const altered = (one: string): readonly string[] => {
  const symbols = Array.from(one);
  const random = seeded(one.length);
  return Array.from({ length: 30 }, () => {
    const left = symbols.slice(0, random.integer(symbols.length + 1));
    const middle = random.chance(0.3) ? [] : [random.pick(Array.from("aZ09-._:/?#[]@%{}~+* \u{e9}\u{1f680}\n"))];
    return [...left, ...middle, ...symbols.slice(left.length + random.integer(2))].join("");
  });
};

describe("the formats of jsonSchema()", () => {
  /** For patterns whose classes the generator of texts does not take. */
  const hand: Readonly<Record<string, readonly string[]>> = {
    iri: ["https://b\u{e9}:8/\u{4e00}?q#\u{df}", "urn:\u{f900}", "x://a@[::1]/"],
    "iri-reference": ["//b\u{e9}/a", "\u{e9}:b", "a/b?c#d", ""],
    "idn-email": ["j\u{f6}rg@b\u{fc}cher.example", "a@\u{4e00}.example"],
    regex: ["^a+$", "(a)\\1", "[a-z]{2}", "(?=a)", "\\p{L}"],
    "uri-template": ["/a/{b}", "{?a,b*}", "%{a}bc", "{a:3}%41", "{+a.b}"],
  };

  it.each(Object.entries(serviceFormats).filter(([, test]) => typeof test === "function"))(
    "decide on a %s as the gate does, wherever the gate is sure",
    (name, test) => {
      const { inner, outer } = formatLanguages.get(name) ?? { inner: "", outer: "" };
      const known =
        hand[name] ??
        [inner, outer].flatMap((pattern) =>
          fc.sample(fc.stringMatching(new RegExp(pattern, "u")), { numRuns: 3, seed: 1 }),
        );
      const texts = known.flatMap((one) => [one, ...altered(one)]);
      const own = (one: string): boolean => typeof test === "function" && test(one);
      const differing = texts.filter((one) => (hasFormat(name, one) ?? own(one)) !== own(one));

      expect(texts.length).toBeGreaterThan(50);
      expect(differing).toEqual([]);
    },
  );
});

describe("patterns", () => {
  it.each([
    ["a class of Unicode", "^[a-z]+$", "^\\p{L}+$"],
    ["classes in one another", "^\\p{Lu}+$", "^\\p{L}+$"],
    ["the complement of a class", "^[0-9]$", "^\\P{L}$"],
    ["a boundary of words", "^cat$", "\\bcat\\b"],
    ["a place within a word", "^cats$", "cat\\B"],
  ])("are decided: %s", async (_, narrow, wide) => {
    expect((await compare(text({ pattern: narrow }), text({ pattern: wide }))).verdict).toBe("safe");
    expect((await compare(text({ pattern: wide }), text({ pattern: narrow }))).verdict).toBe("breaking");
  });

  it("read boundaries of words as the runtime does", () => {
    const sources = ["\\bab", "a\\b", "\\Ba\\B", "^\\b", "\\b$", "(\\b|a)b\\B", "\\b\\b-\\b", "^\\B$", "(a\\b.)+"];

    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.string({ unit: fc.constantFrom("a", "b", "-", "\u{e9}") }),
        (source, one) => {
          expect(matcherOf(source).test(one)).toBe(new RegExp(source, "u").test(one));
        },
      ),
    );
  });
});

const list = (more: object) => ({ type: "array", contains: text(), ...more });

describe("counts of contained items", () => {
  it("are proven where fewer are allowed", async () => {
    expect((await compare(list({ maxContains: 1 }), list({ maxContains: 2 }))).verdict).toBe("safe");
    expect((await compare(list({ maxItems: 3 }), list({ maxContains: 3 }))).verdict).toBe("safe");
  });

  it("break where more are sent", async () => {
    const { findings } = await compare(list({ maxContains: 2 }), list({ maxContains: 1 }));

    expect(findings.map(({ witness }) => witness?.value)).toEqual([["", ""]]);
  });
});

describe("multiples of a fraction", () => {
  it("are what the verdict names where floating-point division decides otherwise", async () => {
    const { verdict, tried } = await compare({ type: "number", multipleOf: 0.1 }, { type: "number", multipleOf: 0.01 });

    expect(verdict).toBe("unproven");
    expect(tried?.join()).toContain("find other multiples of 0.01");
  });
});
