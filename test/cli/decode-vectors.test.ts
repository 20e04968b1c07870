import { describe, expect, it } from "vitest";
import { isExactly, isLexically } from "../codecs/dotnet/equality.support.ts";
import { expectedOf, legacyVectors, type Vector, vectors } from "../codecs/legacy/reading.support.ts";
import { ofVectors } from "../vectors.support.ts";
import { linesOf, sobre } from "./calls.support.ts";

/** The values that `sobre decode --json` prints of payloads, without a word on their content type. */
async function valuesOf(payloads: readonly Vector[], ...options: readonly string[]): Promise<readonly unknown[]> {
  const files = payloads.map(({ payload }) => `${legacyVectors}/open/${payload}`);
  const { terminal } = await sobre("decode", "--json", ...options, ...files);
  return linesOf(terminal).map((line) =>
    typeof line === "object" && line !== null ? Reflect.get(line, "value") : line,
  );
}

const inFamily = (family: string): readonly Vector[] =>
  vectors("open").filter((vector) => vector.family === family && vector.expected !== undefined);

describe("sobre decode of real payloads", () => {
  it.each([
    ["nbfx", ofVectors(144, 32), 0.95, isLexically],
    ["xml", ofVectors(64, 21), 0.95, isLexically],
    ["xmlserializer", ofVectors(32, 31), 0.75, isLexically],
    ["dcjson", ofVectors(63, 25), 0.8, isLexically],
    ["nrbf", ofVectors(75, 23), 0.98, isLexically],
    ["java", ofVectors(57, 19), 0.97, isExactly],
  ])("prints the values of %s", async (family, count, least, isEqual) => {
    const payloads = inFamily(family);

    const values = await valuesOf(payloads, "--time-zone", "Europe/Madrid");

    const wrong = payloads.filter((vector, index) => !isEqual(values[index], expectedOf(vector))).map(({ id }) => id);
    expect(payloads).toHaveLength(count);
    expect(values).toHaveLength(count);
    expect(1 - wrong.length / payloads.length, wrong.join(", ")).toBeGreaterThanOrEqual(least);
  });

  it("prints the values of text under its declared type, whatever lies around it", async () => {
    const payloads = inFamily("text");
    expect(payloads.length).toBeGreaterThan(15);
    for (const vector of payloads) {
      // A string of JSON in binary XML is opened under JSON's type, and a bare deflate stream has no signature.
      const declared = vector.id === "text-rawdeflate-json" ? "application/x-deflate" : vector.legacyContentType;
      const isString = vector.id === "text-nbfx-string-holding-json";
      const options = declared === null || declared === undefined || isString ? [] : ["-t", declared];

      const [value] = await valuesOf([vector], ...options);

      expect(isLexically(value, expectedOf(vector)), vector.id).toBe(true);
    }
  });

  it("prints the bodies of whole AMQP messages", async () => {
    const payloads = inFamily("amqp");

    const values = await valuesOf(payloads);

    expect(payloads.length).toBeGreaterThan(5);
    payloads.forEach((vector, index) => {
      const { section, body }: { readonly section?: unknown; readonly body?: unknown } = Object(expectedOf(vector));
      // The body of a data section is opened further.
      if (section === "data") expect(typeof values[index], vector.id).toBe("object");
      else expect(isExactly(values[index], body), vector.id).toBe(true);
    });
  });
});
