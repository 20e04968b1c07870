import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readGolden } from "../../src/contract/golden/golden-message.ts";
import { coverSamples } from "../../src/contract/json-schema/samples/covering-samples.ts";
import { compileJsonSchema } from "../../src/core/json-schema/ajv.ts";
import { sobre } from "../cli/calls.support.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sobre-golden-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
}

const run = (name: string, ...args: readonly string[]): ReturnType<typeof sobre> =>
  sobre("contract", name, "-s", join(folder, "schemas"), "-g", join(folder, "golden"), ...args);

const expectedOf = (codec: string): readonly unknown[] =>
  readGolden(join(folder, "golden")).flatMap((message) => (message.codec === codec ? [message.expected] : []));

const line = {
  oneOf: [
    {
      type: "object",
      properties: { kind: { const: "item" }, count: { type: "integer", minimum: 1, maximum: 99 } },
      required: ["kind", "count"],
    },
    {
      type: "object",
      properties: { kind: { const: "gift" }, note: { type: "string", minLength: 2, maxLength: 40 } },
      required: ["kind"],
    },
    {
      type: "object",
      properties: { kind: { const: "fee" }, cents: { type: ["integer", "null"] } },
      required: ["kind", "cents"],
    },
  ],
};
const order = {
  type: "object",
  properties: {
    state: { enum: ["open", "paid", "sent", null] },
    lines: { type: "array", minItems: 1, maxItems: 5, items: { $ref: "#/$defs/line" } },
    country: { enum: ["DE", "FR"] },
    zip: { type: "string", pattern: "^[0-9]{5}$" },
    price: { type: "number", exclusiveMinimum: 0, maximum: 1000 },
  },
  required: ["state", "lines", "country"],
  if: { properties: { country: { const: "DE" } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ["zip"] },
  $defs: { line },
};

interface Line {
  readonly kind: string;
  readonly count?: number;
  readonly note?: string;
  readonly cents?: number | null;
}
interface Order {
  readonly state: string | null;
  readonly lines: readonly Line[];
  readonly country: string;
  readonly zip?: string;
  readonly price?: number;
}

const cover = (schema: unknown) =>
  coverSamples({ writer: schema, reader: schema, declared: true, formats: "either", budget: 5_000_000 });

describe("golden messages of a JSON Schema", () => {
  it("are at every branch, listed value, type, bound and optional member that the schema names", () => {
    const { samples = {}, missing } = cover(order) ?? {};
    const values: readonly Order[] = JSON.parse(JSON.stringify(Object.values(samples)));
    const problemsOf = compileJsonSchema(order);
    const lines = values.flatMap((value) => value.lines);

    expect(missing).toEqual([]);
    expect(values.flatMap(problemsOf)).toEqual([]);
    expect(new Set(values.map(({ state }) => state))).toEqual(new Set(["open", "paid", "sent", null]));
    expect(new Set(lines.map(({ kind }) => kind))).toEqual(new Set(["item", "gift", "fee"]));
    expect(lines.map(({ count }) => count)).toEqual(expect.arrayContaining([1, 99]));
    expect(lines.map(({ note }) => note?.length)).toEqual(expect.arrayContaining([2, 40]));
    expect(lines.map(({ cents }) => typeof cents)).toEqual(expect.arrayContaining(["number", "object"]));
    expect(values.map((value) => value.lines.length)).toEqual(expect.arrayContaining([1, 5]));
    expect(values.map(({ price }) => price)).toEqual(expect.arrayContaining([undefined, 1000]));
    expect(values.some(({ country, zip }) => country === "FR" && zip === undefined)).toBe(true);
    expect(values.some(({ country }) => country === "DE")).toBe(true);
  });

  it("are few: each is at a place where none before it is", () => {
    const states = Array.from({ length: 30 }, (_, at) => `s${at}`);
    const { samples = {} } =
      cover({ type: "object", properties: { state: { enum: states } }, required: ["state"] }) ?? {};

    expect(Object.keys(samples).length).toBeLessThanOrEqual(states.length + 1);
  });

  it("are recorded in every codec of the subject, and a place without a message is named", async () => {
    const schema = {
      type: "object",
      properties: { n: { type: "number", maximum: 5, multipleOf: 2 } },
      required: ["n"],
    };
    write({
      "schemas/a/1.0.schema.json": { ...schema, properties: { ...schema.properties, state: { enum: ["x", "y"] } } },
      "schemas/a/subject.json": { codecs: ["json", "msgpack"] },
    });

    const { code, terminal } = await run("record");

    expect(code).toBe(0);
    expect(terminal.errors()).toBe("sobre: a/1.0.schema.json: no message was found at #/properties/n/maximum\n");
    for (const codec of ["json", "msgpack"])
      expect(expectedOf(codec)).toEqual(
        expect.arrayContaining([expect.objectContaining({ state: "x" }), expect.objectContaining({ state: "y" })]),
      );
    expect((await run("verify")).code).toBe(0);
  });
});

const proto = `syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
enum State { STATE_UNSPECIFIED = 0; STATE_OPEN = 1; STATE_PAID = 2; STATE_SENT = 3; }
message Order {
  message Card { string digits = 1; }
  optional State state = 1;
  oneof payment { Card card = 2; int64 cash_cents = 3; bool voucher = 4; }
  repeated sint32 counts = 5;
  map<string, State> history = 6;
  bytes raw = 7;
  google.protobuf.Timestamp at = 8;
  uint64 total = 9;
}
`;

describe("golden messages of a .proto file", () => {
  it("have every enum value, every member of a oneof and the edges of numbers, and one has no field", async () => {
    write({ "schemas/o/1.0.proto": proto, "schemas/o/subject.json": { codecs: ["protobuf"] } });

    expect((await run("record")).code).toBe(0);

    const text = JSON.stringify(expectedOf("protobuf"));
    for (const said of ["STATE_UNSPECIFIED", "STATE_OPEN", "STATE_PAID", "STATE_SENT"])
      expect(text).toContain(`"state":"${said}"`);
    for (const said of [
      '"card":{',
      '"cashCents":{"$int64":"9223372036854775807"}',
      '"voucher":true',
      '"voucher":false',
    ])
      expect(text).toContain(said);
    for (const said of ['"total":{"$int64":"18446744073709551615"}', '"counts":[2147483647]', '"counts":[-1]'])
      expect(text).toContain(said);
    expect(readFileSync(join(folder, "golden/o/1.0/protobuf/shop.Order-empty.bin")).length).toBe(0);
    expect((await run("verify")).code).toBe(0);
  });

  it("are recorded in the JSON form of Protobuf too, which the matrix reads by its rules", async () => {
    write({
      "schemas/o/1.0.proto": proto,
      "schemas/o/1.1.proto": proto.replace("bytes raw = 7;", "bytes raw = 7; string note = 10;"),
      "schemas/o/subject.json": { codecs: ["protobuf", "json"], policy: { direction: "full" } },
    });

    const { code, terminal } = await run("record");
    const kept = await run("matrix");

    expect([code, terminal.errors()]).toEqual([0, ""]);
    expect(expectedOf("json")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ cashCents: "9223372036854775807", at: "1970-01-01T00:00:00Z", counts: [2147483647] }),
        {},
      ]),
    );
    expect(kept.code).toBe(1);
    expect(kept.terminal.text()).toMatch(
      /o 1\.1 → 1\.0 json: shop\.Order-2: refuses \$\.note: shop\.Order has no member/,
    );
    expect(kept.terminal.text()).not.toContain("1.0 → 1.1");
  });
});
