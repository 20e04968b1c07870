import { describe, expect, it } from "vitest";
import { agreementOf, pairsOf, readErrata, scoreOf, suites } from "./suites.support.ts";

const vectors = process.env["SOBRE_VECTORS"];

/** The containment suite alone has thousands of pairs; `npm run prove -- contract` examines it. */
const quick = suites.filter(({ name }) => name !== "containment");

describe.skipIf(vectors === undefined)("the examination, which needs the vectors of SOBRE_VECTORS", () => {
  it.each(quick)("agrees with the labels of $name as asked", async (suite) => {
    const errata = readErrata();

    const score = await scoreOf(suite, pairsOf(vectors ?? "", suite.name));

    expect(agreementOf(score, errata)).toBeGreaterThanOrEqual(suite.agreement);
    expect((score.unproven.length + score.errors.length) / score.pairs).toBeLessThanOrEqual(suite.unproven);
  });
});
