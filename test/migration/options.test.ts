import { describe, expect, it } from "vitest";
import { migrate, createFileSource } from "../../src/migration/index.ts";
import { rejection } from "../refusal.support.ts";
import { serializer } from "./samples.support.ts";

const source = { name: "none", size: 0, async *messages() {} };

describe("an option of a migration", () => {
  it.each([
    ["resumed", { resumed: true }],
    ["sample", { sample: -1 }],
    ["hex", { hex: "yes" }],
    ["quarantine", { quarantine: "folder" }],
    ["source", { source: "folder" }],
    ["target.format", { target: { format: "jsn" } }],
    ["target.int64", { target: { format: "json", int64: "bigint" } }],
    ["target.form", { target: { form: "json" } }],
  ])("is refused when it is %s: an unknown option, or an invalid value", async (path, wrong) => {
    const options = { source, serializer, target: { format: "json" }, ...JSON.parse(JSON.stringify(wrong)) } as const;

    expect(await rejection(migrate(options))).toMatchObject({ code: "InvalidArgument", path: `$.${path}` });
  });

  it("is refused of a source, too", async () => {
    const wrong = JSON.parse('{"inputs":"captures"}');

    expect(await rejection(createFileSource(".", wrong))).toMatchObject({ code: "InvalidArgument", path: "$.inputs" });
  });
});
