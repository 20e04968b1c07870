import { describe, expect, it } from "vitest";
import { java } from "../../../codecs/java/index.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";
import type { SobreError } from "../../../src/core/errors/index.ts";
import { ofVectors } from "../../vectors.support.ts";
import { differenceOf } from "../legacy/expectation.support.ts";
import {
  bytesOf,
  decodedBy,
  errorOf,
  expectedOf,
  keptPayloads,
  meets,
  vectorBytes,
  vectors,
} from "../legacy/reading.support.ts";

describe("payloads that ObjectOutputStream wrote", () => {
  it.each(keptPayloads("java").filter(({ error }) => error === undefined))("are read: $name", (payload) => {
    const { body, typeName } = decodedBy(java(), bytesOf(payload));

    expect(differenceOf(payload.value, valueToJson(body))).toBeUndefined();
    expect(typeName).toBe(payload.typeName);
  });

  it.each(keptPayloads("java").filter(({ error }) => error !== undefined))("are refused: $name", (payload) => {
    const { code } = errorOf(() => decodedBy(java(), bytesOf(payload)));

    expect(code).toBe(payload.error);
  });
});

describe("the Java payloads of the vectors", () => {
  const open = vectors("open").filter(({ family, expected }) => family === "java" && expected !== undefined);
  const malformed = vectors("malformed").filter(({ family }) => family === "java");

  it("are at least 97 % read exactly", () => {
    const wrong = open.flatMap((vector) => {
      const { body } = decodedBy(java(), vectorBytes("open", vector));
      const found = differenceOf(expectedOf(vector), valueToJson(body));
      return found === undefined ? [] : [`${vector.id} ${found}`];
    });

    expect(open.length).toBeGreaterThan(ofVectors(50, 15));
    expect((open.length - wrong.length) / open.length, wrong.join("\n")).toBeGreaterThanOrEqual(0.97);
  });

  it.each(malformed)("meet their expectation when malformed: $id", (vector) => {
    const payload = vectorBytes("malformed", vector);
    let outcome: SobreError | undefined;
    try {
      valueToJson(decodedBy(java(), payload).body);
    } catch {
      outcome = errorOf(() => decodedBy(java(), payload));
    }

    expect(meets(vector.expect, outcome), `${outcome?.code}`).toBe(true);
    expect(outcome === undefined || outcome.offset !== undefined).toBe(true);
  });
});
