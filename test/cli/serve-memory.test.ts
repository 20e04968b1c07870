import { describe, expect, it } from "vitest";
import { Drained, keepMemorySmall } from "../../src/cli/serve/serve-memory.ts";

const megabytes = 2 ** 20;
const ticks = (...stored: readonly number[]): readonly boolean[] => {
  const drained = new Drained();
  return stored.map((size) => drained.tick(size * megabytes));
};

describe("the memory of a server that was drained", () => {
  it("is released once, when nothing comes or goes any more", () => {
    expect(ticks(0, 300, 300, 120, 4, 4, 4)).toEqual([false, false, false, false, false, true, false]);
  });

  it("is kept while much is stored, or where little was", () => {
    expect(ticks(300, 100, 100, 100)).not.toContain(true);
    expect(ticks(30, 0, 0)).not.toContain(true);
  });

  it("is not watched any more when the server has ended", () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

    keepMemorySmall()();

    expect(process.getActiveResourcesInfo().filter((name) => name === "Timeout")).toHaveLength(before);
  });
});
