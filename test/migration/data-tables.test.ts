import { describe, expect, it } from "vitest";
import { commandSerializer } from "../../src/cli/codecs.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { valueToJson } from "../../src/core/values/value-json.ts";
import { ofNet10 } from "../net10.support.ts";
import { migrateAll } from "./samples.support.ts";

const serializer = await commandSerializer({});

function read(payload: Uint8Array): { readonly value: unknown; readonly warnings: readonly string[] } {
  const result = serializer.deserialize(createEnvelope({ payload }));
  return { value: result.ok ? valueToJson(result.body) : undefined, warnings: result.ok ? result.warnings : [] };
}

const at = { $dateTimeOffset: "2024-01-02T03:04:05+02:00" };
const rows = [
  { Id: 1, Name: "a", At: at, Empty: null },
  { Id: 2, Name: null, At: null, Empty: { $decimal: "2.5" } },
];
const withoutRows = Buffer.from(
  Buffer.from(ofNet10("dt-dcs"))
    .toString()
    .replace(/<Orders diffgr.*<\/Orders>/, ""),
);

describe("a DataTable alone", () => {
  it.each([
    ["DataContractSerializer", ofNet10("dt-dcs"), rows, "its name and its namespace"],
    ["BinaryFormatter", ofNet10("dt-xml-bf"), rows, "its name and its namespace"],
    ["no rows", withoutRows, [], "its name, its namespace and the columns of tables without rows"],
  ])("is its rows, and never Clean: %s", async (_, payload, expected, lost) => {
    const { value, warnings } = read(payload);

    expect(value).toEqual(expected);
    expect(warnings).toEqual([expect.stringContaining(`DataTable, read as its rows, without ${lost}`)]);
    for (const format of ["json", "msgpack", "tagged-json", "protobuf"] as const) {
      const { report } = await migrateAll([payload], { serializer, target: { format } });
      expect(report.verdict).toBe("ambiguous");
    }
  });

  it.each(["dt-bin-bf", "ds-bin-bf"])(
    "of RemotingFormat.Binary has a warning that these are not its rows (%s)",
    (name) => {
      expect(read(ofNet10(name)).warnings).toContainEqual(
        expect.stringContaining("was written with RemotingFormat.Binary: its members are shown"),
      );
    },
  );
});
