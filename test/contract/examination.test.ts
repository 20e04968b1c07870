import { describe, expect, it } from "vitest";
import { agreementOf, pairsOf, readErrata, scoreOf, suites, undecidedOf } from "./suites.support.ts";

/** The larger suites have hundreds and thousands of pairs; `npm run prove -- contract` examines them all. */
const quick = suites.filter(({ name }) => pairsOf(name).length <= 100);

describe("the examination", () => {
  it.each(quick)("agrees with the labels of $name as asked", async (suite) => {
    const errata = readErrata();

    const pairs = pairsOf(suite.name);

    const score = await scoreOf(suite, pairs);

    expect(pairs.length).toBeGreaterThanOrEqual(10);
    expect(agreementOf(score, errata)).toBeGreaterThanOrEqual(suite.agreement);
    expect(undecidedOf(score, errata)).toBeLessThanOrEqual(suite.unproven);
  });
});
