import { checkCompatibility } from "../../src/contract/index.ts";
import { PairComparison } from "../../src/contract/json-schema/pair-comparison.ts";
import { parse, type Type } from "../../src/core/protobuf/protobufjs.ts";
import { isDeclared } from "./contract/declared-value.ts";
import { type DialectName, dialects, inDialect } from "./contract/in-dialect.ts";
import { isValid, type PlainReading } from "./contract/plain-validator.ts";
import { formByNumber } from "./contract/proto-form.ts";
import { protoText, RandomProto } from "./contract/random-proto.ts";
import { RandomSchema, type SchemaObject } from "./contract/random-schema.ts";
import { Random } from "./engine/random.ts";
import type { ProofRun } from "./proof-run.ts";

/** Pairs of each format. */
const total = { share: 1200, full: 100_000 };

/**
 * Attacks verdicts on random pairs, JSON Schemas of five dialects with formats read three ways and both content models:
 * whatever is called safe, with random messages of the writer; every witness of what is called breaking, by judges that share
 * no code with the comparison.
 *
 * @throws Error naming the seed of a verdict that is wrong.
 */
export async function prove({ seed: from, full }: ProofRun): Promise<string> {
  const pairs = full ? total.full : total.share;
  const tally: Tally = { safe: 0, breaking: 0, tested: 0, unproven: 0, broken: 0, attacks: 0, witnesses: 0 };
  for (let seed = from; seed < from + pairs; seed++) {
    await attackJson(seed, tally);
    await attackProtobuf(seed, tally);
  }
  const { safe, breaking, unproven, broken, attacks, witnesses } = tally;
  if (safe < pairs / 2 || breaking < pairs / 4) throw new Error("the random pairs are not what they were meant to be");
  return `${pairs} random pairs of each format: ${safe} safe, ${breaking} breaking, ${unproven} unproven, ${broken} not schemas; ${attacks} messages refute no safe verdict, and ${witnesses} witnesses replay`;
}

interface Tally {
  safe: number;
  breaking: number;
  tested: number;
  unproven: number;
  broken: number;
  attacks: number;
  witnesses: number;
}

/** A pair of JSON Schemas, and how it is compared. */
interface JsonPair {
  readonly older: SchemaObject;
  readonly newer: SchemaObject;
  readonly dialects: readonly [DialectName, DialectName];
  readonly formats: "annotation" | "assertion" | "either";
  readonly contentModel: "as-written" | "declared-writer";
}

function randomPair(random: Random, make: RandomSchema): JsonPair {
  const older = make.document();
  const newer = random.chance(80) ? make.changed(older) : make.document();
  const own = random.pick(dialects) ?? "2020-12";
  const other = random.chance(90) ? own : (random.pick(dialects) ?? own);
  return {
    older: inDialect(older, own),
    newer: inDialect(newer, other),
    dialects: [own, other],
    formats: random.pick(["annotation", "assertion", "either"]) ?? "either",
    contentModel: random.chance(50) ? "as-written" : "declared-writer",
  };
}

async function attackJson(seed: number, tally: Tally): Promise<void> {
  const random = new Random(seed);
  const make = new RandomSchema(random);
  const pair = randomPair(random, make);
  const { older, newer, formats, contentModel } = pair;
  const options = { format: "json-schema", older, newer, contentModel, formats } as const;
  const result = await checkCompatibility(options).catch((error: unknown) => {
    if (error instanceof Error && error.name === "SobreError") return undefined;
    throw new Error(`seed ${seed} ends in an error`, { cause: error });
  });
  // Some changes break the schema itself.
  if (result === undefined) {
    tally.broken++;
    return;
  }
  tally[result.verdict]++;
  const meanings = formats === "either" ? [false, true] : [formats === "assertion"];
  const sent = (value: unknown, asserts: boolean) => judged(older, value, { dialect: pair.dialects[0], asserts });
  const read = (value: unknown, asserts: boolean) => judged(newer, value, { dialect: pair.dialects[1], asserts });
  if (result.verdict === "breaking")
    for (const { witness, severity } of result.findings) {
      if (severity === "warning") continue;
      tally.witnesses++;
      for (const asserts of meanings)
        if (witness === undefined || sent(witness.value, asserts) === false || read(witness.value, asserts) === true)
          throw new Error(`seed ${seed}: ${JSON.stringify(witness?.value)} does not show that the pair breaks`);
    }
  if (result.verdict !== "safe") return;
  for (const value of attacksOf(pair, make)) {
    if (contentModel === "declared-writer" && !isDeclared(older, value)) continue;
    for (const asserts of meanings) {
      if (sent(value, asserts) !== true) continue;
      tally.attacks++;
      if (read(value, asserts) === false)
        throw new Error(`seed ${seed} is called safe, and ${JSON.stringify(value)} refutes it`);
    }
  }
}

/** `undefined` where the schema applies itself to the value without end. */
function judged(schema: SchemaObject, value: unknown, reading: PlainReading): boolean | undefined {
  try {
    return isValid(schema, value, reading);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function attacksOf({ older, newer, contentModel }: JsonPair, make: RandomSchema): readonly unknown[] {
  const declared = contentModel === "declared-writer";
  const comparison = { writer: older, reader: newer, declared, formats: "annotation", budget: 1_000_000 } as const;
  const frame = { siblings: false };
  const plain = Array.from({ length: 200 }, () => make.value(0));
  try {
    const told = new PairComparison(comparison, frame).samples().slice(0, 60);
    return [...plain, ...told, ...told.flatMap((value) => Array.from({ length: 4 }, () => make.varied(value)))];
  } catch {
    // A schema that leads back to the value at hand has no samples.
    return plain;
  }
}

async function attackProtobuf(seed: number, tally: Tally): Promise<void> {
  const random = new Random(seed);
  const make = new RandomProto(random);
  const older = make.file();
  const newer = make.changed(older);
  const [olderText, newerText] = [protoText(older), protoText(newer)];
  for (const direction of ["backward", "forward"] as const) {
    const options = { format: "protobuf", older: olderText, newer: newerText, policy: "wire", direction } as const;
    const { verdict, findings } = await checkCompatibility(options);
    tally[verdict]++;
    if (findings.some(({ code, witness }) => witness === undefined && !code.startsWith("rule-")))
      throw new Error(`seed ${seed}: a break without a witness`);
    if (verdict !== "safe") continue;
    const [writer, reader] = direction === "backward" ? [older, newer] : [newer, older];
    const [sent, read] = [typeOf(protoText(writer)), typeOf(protoText(reader))];
    for (let times = 0; times < 30; times++) {
      const payload = sent.encode(sent.fromObject(make.value(writer, "outer"))).finish();
      const meant = JSON.stringify(
        formByNumber(plainOf(sent, payload), { file: writer, side: "outer", other: reader }),
      );
      const got = JSON.stringify(formByNumber(plainOf(read, payload), { file: reader, side: "outer", other: writer }));
      tally.attacks++;
      if (meant !== got) throw new Error(`seed ${seed} ${direction} is called safe, and ${meant} is read as ${got}`);
    }
  }
}

function typeOf(text: string): Type {
  return parse(text, { keepCase: true }).root.resolveAll().lookupType("p.Outer");
}

function plainOf(type: Type, payload: Uint8Array): Readonly<Record<string, unknown>> {
  return type.toObject(type.decode(payload), { longs: String, bytes: String });
}
