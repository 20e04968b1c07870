import { describe, expect, it } from "vitest";
import { commandSerializer } from "../../src/cli/codecs.ts";
import { ofNet10 } from "../net10.support.ts";
import { writing } from "./written.support.ts";

const serializer = await commandSerializer({});
const { migrated } = writing();

describe("members with the names of a collection's fields", () => {
  it("are found again next to collections, by their class", async () => {
    for (const format of ["json", "msgpack", "tagged-json", "protobuf"] as const) {
      const { report } = await migrated([ofNet10("names-bf")], { serializer, target: { format } });

      expect(report.losses).toEqual([]);
      expect(report.failures).toEqual([]);
    }
  });

  it("are found again next to collections whose class is read as what it holds", async () => {
    const { report, bodies } = await migrated([ofNet10("hybrid-bf")], { serializer });

    expect(report.losses).toEqual([]);
    expect(bodies).toEqual([{ H: { a: 1, b: "x" }, S: { a: "1" }, L: { a: 1 }, R: { a: 1 }, B: [1, 2] }]);
  });
});
