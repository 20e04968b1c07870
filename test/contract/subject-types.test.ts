import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readSubjects, type Subject, subjectOf } from "../../src/contract/subjects/subject.ts";
import { folderFiles } from "../../src/contract/subjects/subject-files.ts";
import { typesModule } from "../../src/contract/types/subject-types.ts";
import { scratchFolder, sobre } from "../cli/calls.support.ts";

const schemas = fileURLToPath(new URL("../../schemas", import.meta.url));
const compiled = fileURLToPath(new URL("../types/subjects.support.ts", import.meta.url));
const { scratch } = scratchFolder();

function subject(name: string, versions: Readonly<Record<string, unknown>>): Subject {
  const made = Object.entries(versions).map(([version, schema]) => {
    const format = typeof schema === "string" ? ("protobuf" as const) : ("json-schema" as const);
    return { version, format, file: `${name}/${version}`, text: JSON.stringify(schema), parts: [], schema };
  });
  return subjectOf(name, {}, made);
}

describe("sobre contract types", () => {
  it("writes the types of this repository's subjects, which check:types compiles", async () => {
    const out = join(scratch, "subjects.ts");

    const { code, terminal } = await sobre("contract", "types", "-s", schemas, "--out", out);

    expect(code).toBe(0);
    expect(terminal.text()).toContain("the types of 4 subjects");
    expect(readFileSync(out, "utf8")).toBe(readFileSync(compiled, "utf8"));
    expect(typesModule(readSubjects(folderFiles(schemas)))).toBe(readFileSync(compiled, "utf8"));
  });

  it("writes to standard output by default, and fails without a subject", async () => {
    const shown = await sobre("contract", "types", "-s", schemas);
    const none = await sobre("contract", "types", "-s", scratch);

    expect(shown.terminal.text()).toContain("export type OrdersPlaced = OrdersPlacedV1;");
    expect(none.code).toBe(2);
  });

  it("names a type for each major by its greatest minor, and one for the latest", () => {
    const text = { type: "string" };
    const module = typesModule([subject("a.b", { "1.0": text, "1.1": { type: "integer" }, "2.0": text })]);

    expect(module).toContain("/** a.b 1.1 */\nexport type ABV1 = number;");
    expect(module).toContain("export type ABV2 = string;\n\nexport type AB = ABV2;");
    expect(module).toContain('readonly "a.b": AB;');
  });

  it("gives subjects whose names become one type different names", () => {
    const module = typesModule([subject("a-b", { "1.0": true }), subject("a.b", { "1.0": false })]);

    expect(module).toContain("export type AB = ABV1;");
    expect(module).toContain("export type AB_2 = AB_2V1;");
  });

  it("carries titles, descriptions and deprecations over to editors, and lets none end its comment", () => {
    const properties = { a: { title: "The A", description: "Ends */ here.\nTwo lines.", deprecated: true } };

    expect(typesModule([subject("x", { "1.0": { type: "object", properties } })])).toContain(
      "  /**\n   * The A\n   * Ends *\\/ here.\n   * Two lines.\n   * @deprecated\n   */\n  readonly a?: unknown | undefined;".replace(
        "unknown | undefined",
        "unknown",
      ),
    );
  });

  it("leaves out what a schema that applies itself to the same value would say", () => {
    const looping = { anyOf: [{ $ref: "#" }, { type: "string" }] };

    expect(typesModule([subject("x", { "1.0": looping })])).toContain("export type XV1 = unknown;");
  });
});
