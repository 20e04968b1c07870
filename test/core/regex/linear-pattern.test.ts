import { describe, expect, it } from "vitest";
import { linearPattern } from "../../../src/core/regex/linear-pattern.ts";
import { seeded } from "../../random.support.ts";
import { comparedProperties, differingPoints, sampledPoints } from "./property-points.support.ts";
import { compareWithRuntime } from "./random-pattern.support.ts";

const isMatch = (source: string, text: string): boolean => {
  const { automaton, refusal } = linearPattern(source);
  if (automaton === undefined) throw new Error(refusal.message);
  return automaton.test(text);
};
const messageOf = (source: string): string | undefined => linearPattern(source).refusal?.message;

describe("a pattern", () => {
  it.each([
    ["^\\s$", "\u00a0 \u000b \ufeff \u2028 \r \u1680 \u3000", "a \u180e \u200b \u0085"],
    ["^\\S$", "a é 🚀 \u200b", "\u00a0 \u000b \ufeff"],
    ["^.$", "a 🚀 \u0085 \ud83d", "\n \r \u2028 \u2029"],
    ["^\\d$", "0 9", "٣ a"],
    ["^\\w$", "a Z 0 _", "é -"],
    ["^\\W$", "é - 🚀", "a _"],
    ["^\\p{Lu}$", "A É Ω 𝐀", "a 1"],
    ["^\\P{Lu}$", "a 1 🚀 \ud83d", "A"],
    ["^\\p{Script=Greek}$", "α Ω", "a"],
    ["^[^]$", "\n \u2028 🚀", ""],
    ["^[^a]$", "b \n 🚀", "a"],
    ["^\\u{1F680}$", "🚀", "\ud83d \ude80"],
    ["^\\ud83d\\ude80$", "🚀", "\ud83d"],
    ["^[\\ud83d\\ude80]$", "🚀", "\ud83d \ude80"],
    ["^\\ud83d$", "\ud83d", "🚀"],
    ["^\\cJ$", "\n", "J"],
    ["^\\0$", "\0", "0"],
    ["^[\\b]$", "\b", "b"],
    ["^(?:a+)+$", "a aaa", "b"],
    ["^a??b{2,3}?$", "bb abbb", "b abbbb"],
    ["^(?<year>\\d{4})-(?<day>\\d\\d)$", "2026-31", "26-31"],
    ["^(?:(?<x>a)|(?<x>b))$", "a b", "c"],
    ["\\bcat\\b", "cat a-cat-b", "cats écats1"],
    ["^a{0}$|^b{0,}c$", "c bbc", "a b"],
    ["^straße$", "straße", "STRASSE"],
    ["", "a", ""],
    ["a|", "b", ""],
  ])("%s means what it means in ECMA-262 with the flag u", (source, matching, others) => {
    for (const text of matching.split(" ")) expect([text, isMatch(source, text)]).toEqual([text, true]);
    for (const text of others.split(" ").filter((one) => one !== ""))
      expect([text, isMatch(source, text)]).toEqual([text, false]);
    for (const text of [...matching.split(" "), ...others.split(" ")])
      expect(isMatch(source, text)).toBe(new RegExp(source, "u").test(text));
  });

  it("of nothing but an empty class matches no text", () => {
    expect(["", "a", "\n"].map((text) => isMatch("[]", text))).toEqual([false, false, false]);
  });

  it("is read and matched as the runtime does, on random pairs", () => {
    const { matches, broken, unsupported, loose } = compareWithRuntime(seeded(20_261_127), 1500);

    expect(Math.min(matches, broken, unsupported, loose)).toBeGreaterThan(0);
  });

  it.each(comparedProperties)("knows which code points have the property %s", (name) => {
    expect(differingPoints(name, sampledPoints(name))).toEqual([]);
  });
});

describe("a pattern that the flag u does not allow", () => {
  it.each([
    ["^[\\w-.]+$", "a-b.c", "a b"],
    ["^[a-\\d]+$", "a-5", "b"],
    ["^\\d\\-\\d$", "1-2", "1\\-2"],
    ["^\\_\\@\\#\\'$", "_@#'", "\\_"],
    ["^{id}$", "{id}", "id"],
    ["^a{$", "a{", "a"],
    ["^]}$", "]}", "]"],
    ["^\\é$", "é", "\\é"],
  ])("%s is read as ECMA-262 reads it without, where only one meaning is possible", (source, matching, other) => {
    expect(() => new RegExp(source, "u")).toThrow(SyntaxError);
    expect([isMatch(source, matching), isMatch(source, other)]).toEqual([true, false]);
    expect([new RegExp(source).test(matching), new RegExp(source).test(other)]).toEqual([true, false]);
  });

  it("counts a character beyond U+FFFF once all the same", () => {
    expect(isMatch("^\\-[^a]$", "-🚀")).toBe(true);
  });

  it.each([
    ["^a\\Z", "ECMA-262 has no escape \\Z. Write $ for the end of the text."],
    ["\\Aa", "ECMA-262 has no escape \\A. Write ^ for the start of the text."],
    ["\\q", "ECMA-262 has no escape \\q."],
    ["\\07", "a number in octal. Write it as \\x and two digits."],
    ["(a)\\2", "a back-reference to the group 2, which the pattern does not have."],
    ["^[[:alpha:]]+$", "ECMA-262 has no classes with names in [: and :]. Write a class, e.g. a-z, or \\p{L}."],
    ["^[\\p{L}\\w-.]+$", "a range begins or ends with a set. Write \\- for a hyphen."],
    ["\\u{61}\\-", "ECMA-262 has no escape \\-. Write - without the backslash."],
    ["a{,5}", "{ stands alone. Write \\{ for the character."],
    ["(?i)a", "ECMA-262 has no flags that hold for the rest, as (?i) says. Write both cases"],
    ["\\c1", "\\c needs a letter."],
    ["\\x1", "an escape ends before its 2 digits."],
  ])("and means something else elsewhere is refused by name: %s", (source, why) => {
    expect(linearPattern(source).refusal).toMatchObject({ kind: "broken" });
    expect(messageOf(source)).toContain(why);
  });
});

describe("a broken pattern", () => {
  it.each([
    ["(", 'The pattern "(" is broken at character 1: a group is not closed. Write \\( for the character.'],
    [
      "a)",
      'The pattern "a)" is broken at character 2: a closing bracket closes no group. Write \\) for the character.',
    ],
    ["ab[c", 'The pattern "ab[c" is broken at character 3: a class is not closed.'],
    ["🚀**", 'The pattern "🚀**" is broken at character 3: * has nothing to repeat. Write \\* for the character.'],
    ["^*", 'The pattern "^*" is broken at character 2: a quantifier repeats a place, not a character.'],
    ["a{2,1}", "a quantifier has its bounds in the wrong order."],
    ["[b-a]", "a range ends before it begins."],
    ["(?<a>x)(?<a>y)", "two groups are called a."],
    ["(?>a)", "(? begins no group of ECMA-262."],
    ["\\p{Nonsense}", "Unicode has no property Nonsense that is known here."],
    ["(?=a)(", "a group is not closed."],
    ["\\", "a backslash ends it."],
  ])("is refused with its place and what to write: %s", (source, message) => {
    expect(linearPattern(source).refusal?.kind).toBe("broken");
    expect(messageOf(source)).toContain(message);
  });
});

describe("a pattern that no automaton runs", () => {
  it.each([
    ["^(?=a)b", 'The pattern "^(?=a)b" has a look-ahead at character 2, which cannot be matched in linear time. Write'],
    ["a(?!b)", "a look-ahead at character 2"],
    ["(?<=a)b", "a look-behind at character 1"],
    ["(?<!a)b", "a look-behind at character 1"],
    ["(a)\\1", "a back-reference at character 4"],
    ["(?<n>a)\\k<n>", "a back-reference at character 8"],
    ["(?i:a)", "the flags (?i: at character 1"],
    ["[\\w-.](?=a)", "a look-ahead at character 7"],
  ])("is refused with what it has, where, and what to write: %s", (source, what) => {
    expect(linearPattern(source).refusal?.kind).toBe("unsupported");
    expect(messageOf(source)).toContain(what);
  });
});

describe("a large pattern", () => {
  it.each(["^.{0,19000}$", "^(?:[a-z]{1,63}\\.){0,127}[a-z]{2,63}$", "^(?:){1000000}a{1,3}$", "((((((a+)+)+)+)+)+)+"])(
    "%s is within the limit",
    (source) => {
      expect(isMatch(source, "a.aa")).toBe(source.startsWith("((") || !source.includes("(?:)"));
    },
  );

  it.each(["a{20001}", "(a{200}){101}", "(((a{99}){99}){99}){99}", "a{99999999999999999999}", "[^]{0,20001}"])(
    "%s takes too many states, and the refusal says what to lower",
    (source) => {
      expect(linearPattern(source).refusal).toEqual({
        kind: "large",
        message: `The pattern ${JSON.stringify(source)} takes more than 20,000 states. Lower its repetitions, or limit the length by maxLength.`,
      });
    },
  );

  it("is refused where it nests too deep, and its name is cut", () => {
    const source = `${"(".repeat(300)}a${")".repeat(300)}`;

    expect(linearPattern(source).refusal?.kind).toBe("large");
    expect(messageOf(source)).toBe(`The pattern "${"(".repeat(199)}…" nests groups more than 250 deep.`);
  });
});

describe("the table of an automaton", () => {
  it("starts over where a text needs more places than it keeps, and decides as before", () => {
    const random = seeded(7);
    const source = "(?:a|b)*a(?:a|b){14}c";
    const text = Array.from({ length: 25_000 }, () => random.pick(["a", "b"])).join("");
    const ending = `a${text.slice(0, 14)}c`;

    expect([isMatch(source, text), isMatch(source, text + ending), isMatch(source, text)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it("makes a catastrophic pattern linear", () => {
    const source = "^(?:a|a|aa)*$";

    expect(isMatch(source, "a".repeat(1_000_000))).toBe(true);
    expect(isMatch(source, `${"a".repeat(1_000_000)}b`)).toBe(false);
  });
});
