import { describe, expect, it } from "vitest";
import { nrbf, type NrbfOptions } from "../../../../codecs/dotnet/nrbf/index.ts";
import { valueToJson } from "../../../../src/core/values/value-json.ts";
import type { SobreError } from "../../../../src/core/errors/index.ts";
import { ofVectors } from "../../../vectors.support.ts";
import { differenceOf } from "../../legacy/expectation.support.ts";
import {
  bytesOf,
  decodedBy,
  errorOf,
  expectedOf,
  keptPayloads,
  meets,
  vectorBytes,
  vectors,
} from "../../legacy/reading.support.ts";

describe("payloads that BinaryFormatter wrote", () => {
  it.each(keptPayloads("nrbf").filter(({ error }) => error === undefined))("are read: $name", (payload) => {
    const { body, typeName } = decodedBy(nrbf({ timeZone: "Europe/Madrid" }), bytesOf(payload));

    expect(differenceOf(payload.value, valueToJson(body))).toBeUndefined();
    expect(typeName).toBe(payload.typeName);
  });

  it.each(keptPayloads("nrbf").filter(({ error }) => error !== undefined))("are refused: $name", (payload) => {
    const { code } = errorOf(() => decodedBy(nrbf(), bytesOf(payload)));

    expect(code).toBe(payload.error);
  });
});

/** Not in the payloads: the names of enums, and the zone of the sender. */
const declared: NrbfOptions = {
  timeZone: "Europe/Madrid",
  enums: {
    "Sobre.Fixtures.Plain": { names: { Zero: 0, One: 1, Two: 2 } },
    "Sobre.Fixtures.Status": { names: { Waiting: 1, Running: 2 } },
    "Sobre.Fixtures.Flags": { names: { None: 0, A: 1, B: 2, C: 4 }, flags: true },
    "Sobre.Fixtures.BigEnum": { names: { Max: 2n ** 63n - 1n } },
  },
};

describe("the NRBF payloads of the vectors", () => {
  const open = vectors("open").filter(({ family }) => family === "nrbf");
  const malformed = vectors("malformed").filter(({ family }) => family === "nrbf");

  it.each([
    ["exactly, with enums and the zone declared", declared, (expected: unknown): unknown => expected],
    ["without declarations, with enums by their number", {}, enumsByNumber],
  ])("are at least 98 %% read %s", (_, options, adapt) => {
    const wrong = open.flatMap((vector) => {
      const { body } = decodedBy(nrbf(options), vectorBytes("open", vector));
      const found = differenceOf(adapt(expectedOf(vector)), valueToJson(body));
      return found === undefined ? [] : [`${vector.id} ${found}`];
    });

    expect(open.length).toBeGreaterThan(ofVectors(70, 20));
    expect((open.length - wrong.length) / open.length, wrong.join("\n")).toBeGreaterThanOrEqual(0.98);
  });

  it.each(malformed)("meet their expectation when malformed: $id", (vector) => {
    const payload = vectorBytes("malformed", vector);
    let outcome: SobreError | undefined;
    try {
      valueToJson(decodedBy(nrbf(), payload).body);
    } catch {
      outcome = errorOf(() => decodedBy(nrbf(), payload));
    }

    expect(meets(vector.expect, outcome), `${outcome?.code}`).toBe(true);
    expect(outcome === undefined || outcome.offset !== undefined).toBe(true);
  });
});

function enumsByNumber(expected: unknown): unknown {
  return JSON.parse(JSON.stringify(expected), (_, value: unknown) =>
    typeof value === "object" && value !== null && "$enum" in value && "value" in value
      ? { ...value, $enum: value.value }
      : value,
  );
}
