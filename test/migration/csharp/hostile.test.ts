import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nbfx } from "../../../codecs/dotnet/index.ts";
import { contractFromSources } from "../../../src/migration/csharp/contract-from-sources.ts";

const shop = readFileSync(new URL("../../../fixtures/legacy/contracts/Shop.cs", import.meta.url), "utf8");

/** Reads a file; whatever is in it, the result is a valid contract. */
function contractOf(text: string): { readonly problems: number } {
  const { contract, problems } = contractFromSources([{ path: "a.cs", text }]);
  nbfx({ contracts: [contract] });
  expect(problems.every(({ line, message }) => line >= 1 && message !== "")).toBe(true);
  return { problems: problems.length };
}

const words = (
  "class struct record enum interface namespace using public partial static A B T int List < > ( ) { } [ ] ; : , . = => ? " +
  'DataContract DataMember Serializable KnownType typeof "x" \'c\' 1 where get set /* */ // #if #else #endif $"{ " @ \n'
).split(/ /);

describe("hostile C#", () => {
  it("ends in a valid contract, in whatever order its tokens come", () => {
    const soup = fc.array(fc.constantFrom(...words), { maxLength: 200 }).map((tokens) => tokens.join(" "));

    fc.assert(
      fc.property(soup, (text) => void contractOf(text)),
      { numRuns: 300 },
    );
  });

  it("ends in a valid contract for sources with a part left out, doubled or moved", () => {
    const at = fc.nat({ max: shop.length });
    const changed = fc.tuple(at, at, at).map(([a, b, c]) => {
      const [from = 0, to = 0] = [a, b].toSorted((one, other) => one - other);
      return `${shop.slice(0, from)}${c % 2 === 0 ? shop.slice(c, c + 40) : ""}${shop.slice(to)}`;
    });

    fc.assert(
      fc.property(changed, (text) => void contractOf(text)),
      { numRuns: 100 },
    );
  });

  const many = 100_000;
  it.each<readonly [what: string, text: string]>([
    ["brackets", "(".repeat(many)],
    ["braces", "class A {".repeat(many / 10)],
    ["namespaces", "namespace A {".repeat(many / 10)],
    ["types", `[DataContract] class A { [DataMember] ${"A<".repeat(many / 10)}`],
    ["arrays", `[DataContract] class A { [DataMember] int${"[]".repeat(many / 10)} X; }`],
    ["nullable types", `[DataContract] class A { [DataMember] int${"?".repeat(many / 10)} X; }`],
    ["tuples", `[DataContract] class A { [DataMember] ${"(int,".repeat(many / 10)}`],
    ["comparisons", `class A { int X = ${"a < ".repeat(many)}1; }`],
    ["attributes", `${"[DataContract]".repeat(many / 10)} class A { }`],
    ["signs in a constant", `enum A { B = ${"-".repeat(many)}1 } [DataContract] class C { [DataMember] A X; }`],
    ["conditions", `#if ${"!".repeat(1500)}X\nclass A { }\n#endif`],
    ["sections", "#if X\n".repeat(1000)],
    ["strings in strings", `class A { string X = ${'$"{'.repeat(many)}`],
    ["quotes", `class A { string X = ${'"'.repeat(many)}`],
    [
      "constants that refer to each other",
      "class A { const int X = B.Y; } class B { const int Y = A.X; } [DataContract(Name = A.X)] class C { }",
    ],
    ["aliases of each other", "using A = B; using B = A; [DataContract] class C { [DataMember] A X; }"],
    [
      "generic types that grow",
      "class A<T> { public A<B<T, T>> X; } class B<T, U> { public T X; } [DataContract] class C { [DataMember] A<int> X; }",
    ],
    [
      "bases that grow",
      "[DataContract] class A<T> : A<B<T, T>> { } class B<T, U> { } [DataContract] class C : A<int> { }",
    ],
    [
      "many files' worth of classes",
      Array.from(
        { length: 2000 },
        (_, index) => `[DataContract] class A${index} { [DataMember] A${index + 1} X; }`,
      ).join("\n"),
    ],
    [
      "a long enumeration",
      `[Flags] enum A { ${Array.from({ length: 20_000 }, (_, index) => `M${index} = 1 << ${index}`).join(", ")} } [DataContract] class C { [DataMember] A X; }`,
    ],
  ])("ends, and is refused where it nests too deeply: %s", (_what, text) => {
    expect(contractOf(text).problems).toBeGreaterThanOrEqual(0);
  });
});
