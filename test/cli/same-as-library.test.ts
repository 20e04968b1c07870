import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { legacy, legacyJson } from "../../codecs/legacy/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { text } from "../../codecs/text/index.ts";
import { commandSerializer } from "../../src/cli/codecs.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { valueToJson } from "../../src/core/values/value-json.ts";

const readers = legacy().filter(({ name }) => name !== "datacontract-json");
const library = createSerializer({
  codecs: [legacyJson(), msgpack(), text(), ...readers],
  fallback: ["json", ...readers, "text", "msgpack"],
  whenUnknown: "fallback",
});
const folder = fileURLToPath(new URL("../../fixtures/legacy/dotnet", import.meta.url));
const samples: readonly (readonly [string, Uint8Array])[] = [
  ["a date of .NET", String.raw`{"At":"\/Date(1459042215123+0200)\/","Amount":10.00}`],
  ["an unescaped date", '{"At":"/Date(1459042215123)/","Amount":10.00}'],
  ["numbers", '{"a":1.50,"b":9007199254740993,"c":-0}'],
  ["a dictionary", '{"Tags":[{"Key":"a","Value":1}]}'],
  ["a property's field", '{"<Id>k__BackingField":1}'],
].map(([name = "", json = ""]) => [name, new Uint8Array(Buffer.from(json))] as const);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".bin"))
  .map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))] as const);

describe("the library with legacyJson and legacy, and the command line", () => {
  it.each([...samples, ...files])("read %s to the same value, declared as JSON or not at all", async (_, payload) => {
    const command = await commandSerializer({});

    for (const contentType of ["application/json", undefined]) {
      const envelope = createEnvelope({ payload, brokerProperties: { contentType } });
      const [ours, theirs] = [library, command].map((serializer) => {
        const result = serializer.deserialize(envelope);
        return result.ok ? valueToJson(result.body) : "unreadable";
      });
      expect(ours).toEqual(theirs);
    }
  });
});
