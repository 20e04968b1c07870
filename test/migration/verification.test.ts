import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandSerializer } from "../../src/cli/codecs.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { SourceMessageReader } from "../../src/migration/read/read-message.ts";
import { settleShape } from "../../src/migration/infer/settled-shape.ts";
import { createTarget } from "../../src/migration/target/target.ts";
import { TypeProfiles } from "../../src/migration/infer/type-profile.ts";
import { readSource } from "../../src/migration/verify/scan-source.ts";
import { numberKey } from "../../src/migration/verify/value-keys.ts";
import { verifyMessage } from "../../src/migration/verify/verify-message.ts";

const serializer = await commandSerializer({});
const reader = new SourceMessageReader({ serializer, openJsonText: true, hasContract: () => false });
const target = createTarget({ format: "json", int64: "number" });
const folder = fileURLToPath(new URL("../../fixtures/legacy", import.meta.url));

interface Sample {
  readonly name: string;
  readonly payload: Uint8Array;
}

function samples(): readonly Sample[] {
  const dotnet = readdirSync(`${folder}/dotnet`)
    .filter((name) => name.endsWith(".bin"))
    .map((name) => ({ name, payload: new Uint8Array(readFileSync(`${folder}/dotnet/${name}`)) }));
  const foreign = ["nrbf/values.json", "java/values.json", "dotnet/written.json", "shapes/shapes.json"].flatMap(
    (file) => {
      const {
        payloads,
      }: {
        readonly payloads: readonly {
          readonly name?: string;
          readonly shape?: string;
          readonly family?: string;
          readonly base64?: string;
        }[];
      } = JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
      return payloads.map(({ name, shape, family, base64 = "" }) => ({
        name: `${file} ${name ?? `${shape} ${family}`}`,
        payload: new Uint8Array(Buffer.from(base64, "base64")),
      }));
    },
  );
  return [...dotnet, ...foreign];
}

/** A message as it was read, and what came back from its migrated payload. */
function migrated({ payload }: Sample): Parameters<typeof verifyMessage>[0] | undefined {
  const read = reader.read(createEnvelope({ payload }));
  if (!read.ok || read.body === undefined) return undefined;
  const profiles = new TypeProfiles();
  profiles.note(read);
  const [profile] = profiles.all();
  if (profile === undefined) return undefined;
  const type = target.forType(profile.name, settleShape(profile.root));
  try {
    const decoded = type.decode(type.encode(read.body));
    if (type.compare(read.body, decoded, read.literal).some(({ kind }) => kind !== "int64")) return undefined;
    const typed = read.guessing === "nothing";
    return { payload, layers: read.layers, codec: read.codec, typed, body: read.body, decoded, numbersAreText: false };
  } catch {
    return undefined;
  }
}

const messages = samples()
  .map((sample) => ({ name: sample.name, message: migrated(sample) }))
  .flatMap(({ name, message }) => (message === undefined ? [] : [{ name, message }]));

/** Every place of a scalar: how to read it, and how to put another one there. */
function* placesIn(
  value: unknown,
  put: (other: unknown) => unknown,
): Generator<readonly [unknown, (other: unknown) => unknown]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* placesIn(item, (other) => put(value.with(index, other)));
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value))
      yield* placesIn(member, (other) => put({ ...value, [name]: other }));
  } else yield [value, put];
}

function othersOf(value: unknown): readonly unknown[] {
  if (typeof value === "string") return [`${value}x`, value === "" ? " " : value.slice(0, -1), null, 7_654_321];
  if (typeof value === "number") return [value + 1, -value - 1, value * 10 + 3, `${value}`, null, true];
  if (typeof value === "bigint") return [value + 1n, `${value}`, null];
  if (typeof value === "boolean") return [!value, `${value}`, null];
  return [7_654_321, "something", false];
}

/**
 * Whether the tokens of the source are the same: XML has only text, and binary XML no other form for the text of 0 and
 * 1, nor for 64-bit integers without a sign.
 */
function isAsGood(message: Parameters<typeof verifyMessage>[0], value: unknown, other: unknown): boolean {
  if (String(value) !== String(other)) return false;
  return (
    message.codec === "datacontract-xml" ||
    // A DataSet is XML in any format.
    (/^(?:nrbf|nbfx|datacontract-json)$/.test(message.codec) && Buffer.from(message.payload).includes("diffgr")) ||
    (message.codec === "nbfx" && isNumberAndText(message, String(value)))
  );
}

function isNumberAndText(message: Parameters<typeof verifyMessage>[0], text: string): boolean {
  const source = readSource(message)?.values();
  const number = numberKey(text);
  return number !== undefined && source?.has(undefined, `s${text}`) === true && source.has(undefined, number);
}

/** Whether a number has the value of a decimal, whose text has more zeros: of that the verification is not the judge. */
function isSameDecimal(message: Parameters<typeof verifyMessage>[0], value: unknown, other: unknown): boolean {
  const number = typeof other === "number" ? numberKey(`${other}`) : undefined;
  if (number === undefined || number !== numberKey(String(value))) return false;
  return readSource(message)?.values()?.has(undefined, number) === true;
}

describe("the verification", () => {
  it("finds every value of every fixture again", () => {
    const missed = messages.flatMap(({ name, message }) => verifyMessage(message).map((path) => `${name} ${path}`));

    expect(messages.length).toBeGreaterThan(200);
    expect(missed).toEqual([]);
  });

  it("reports a value that was changed, dropped, or given another type, wherever it is", () => {
    const escaped: string[] = [];
    let mutants = 0;
    for (const { name, message } of messages) {
      for (const [value, put] of placesIn(message.decoded, (other) => other)) {
        for (const other of othersOf(value)) {
          if (other === value || isAsGood(message, value, other)) continue;
          mutants++;
          if (verifyMessage({ ...message, decoded: put(other) }).length === 0)
            escaped.push(`${name}: ${String(value)} became ${typeof other} ${String(other)}`);
        }
      }
    }

    expect(mutants).toBeGreaterThan(5_000);
    expect(escaped).toEqual([]);
  });

  it("reports any other value in the place of one", () => {
    const places = messages.flatMap(({ message }) =>
      [...placesIn(message.decoded, (other) => other)].map(([value, put]) => ({ message, value, put })),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.oneof(fc.string({ minLength: 3 }), fc.double({ noDefaultInfinity: true, noNaN: true }), fc.integer()),
        ({ message, value, put }, other) => {
          fc.pre(other !== value && String(other) !== String(value) && !isSameDecimal(message, value, other));

          expect(verifyMessage({ ...message, decoded: put(other) })).not.toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });
});
