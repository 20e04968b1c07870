import { expect, it } from "vitest";
import { java } from "../../../codecs/java/index.ts";
import { decodeMutated } from "../legacy/mutation.support.ts";
import { bytesOf, keptPayloads } from "../legacy/reading.support.ts";
import { withoutStacks } from "../../stackless.support.ts";

withoutStacks();

it("reads mutated payloads or refuses them with code and offset, and does not touch Object.prototype", () => {
  const seeds = keptPayloads("java").map(bytesOf);
  const before = Object.getOwnPropertyNames(Object.prototype);

  // Time is for the long proof.
  const { read, refused } = decodeMutated(java(), seeds, { total: 5000, seed: 6, most: Infinity });

  expect(read).toBeGreaterThan(100);
  expect(Object.keys(refused)).toContain("DecodeFailed");
  expect(Object.keys(refused)).toContain("TruncatedPayload");
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
});
