import { describe, expect, it } from "vitest";
import { agreementOf, pairsOf, readErrata, scoreOf, suites, undecidedOf } from "./suites.support.ts";

/** The containment suite alone has thousands of pairs; `npm run prove -- contract` examines it. */
const quick = suites.filter(({ name }) => name !== "containment");

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
