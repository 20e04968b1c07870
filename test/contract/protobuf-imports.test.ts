import { describe, expect, it } from "vitest";
import { checkCompatibility } from "../../src/contract/index.ts";

const price = (type: string, { options = "", imports = "", rest = "" } = {}): string => `syntax = "proto3";
package shop;
import "confluent/meta.proto";
import "confluent/type/decimal.proto";
${imports}
message Price {
  ${type} amount = 1${options};
}
${rest}`;
const withDecimal = (field: string) => ({
  "price.proto": price("confluent.type.Decimal"),
  "confluent/type/decimal.proto": `syntax = "proto3"; package confluent.type; message Decimal { ${field} }`,
});
const inGoogle = (kind: string) => ({
  "mine.proto": `syntax = "proto3"; package google.protobuf; message Mine { ${kind} n = 1; }`,
  "other.proto":
    'syntax = "proto3"; import "google/protobuf/timestamp.proto"; message Other { google.protobuf.Timestamp at = 1; }',
});
const compare = (older: string, newer: string) => checkCompatibility({ format: "protobuf", older, newer });

describe("files that every registry of Confluent's kind has", () => {
  it("are imported without being given, and their options change nothing", async () => {
    const params = ' [(confluent.field_meta) = { params: [{ key: "scale", value: "3" }] }]';

    const { verdict, findings } = await compare(
      price("confluent.type.Decimal"),
      price("confluent.type.Decimal", { options: params }),
    );

    expect([verdict, findings]).toEqual(["safe", []]);
  });

  it("are compared where a field leads to them", async () => {
    const own =
      'syntax = "proto3"; package shop; message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }';
    const text = own.replace("bytes value", "int32 value");

    const same = await compare(price("confluent.type.Decimal"), `${own} message Price { Decimal amount = 1; }`);
    const { verdict } = await compare(price("confluent.type.Decimal"), `${text} message Price { Decimal amount = 1; }`);

    expect(same.findings.filter(({ code }) => code !== "message-removed")).toEqual([]);
    expect(verdict).toBe("breaking");
  });

  it("may be given all the same, and then count as given", async () => {
    const { verdict } = await checkCompatibility({
      format: "protobuf",
      older: withDecimal("string value = 1;"),
      newer: withDecimal("int32 value = 1;"),
    });

    expect(verdict).toBe("breaking");
  });
});

describe("messages of a schema in the package google.protobuf", () => {
  it("are compared, though that package has types that come with an import", async () => {
    const options = { format: "protobuf", older: inGoogle("int64"), newer: inGoogle("string") } as const;

    expect((await checkCompatibility(options)).verdict).toBe("breaking");
  });
});
