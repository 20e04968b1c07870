import { defaultBudget, StepMeter } from "../meter.ts";
import type { WriterVersion } from "../json-schema/json-compatibility.ts";
import type { CompatibilityOptions, ProtobufPolicy } from "../options.ts";
import type { CodecRow, CompatibilityResult, Finding, Verdict } from "../verdict.ts";
import { hashed, hashOf } from "../witness.ts";
import { type ProtobufChange, MessageComparison, type Sides } from "./message-comparison.ts";
import { unknownType } from "./reading.ts";
import { checkRelation, type Relation } from "./relation.ts";
import { openProtobufSchema, type ProtobufSchema } from "./schema.ts";
import { brokenRules } from "./schema-rules.ts";
import type { ComparedMessage } from "./shape.ts";

/** Compares two Protobuf schemas in one direction: every message type of the writer with the one of its name or structure. */
export function protobufCompatibility(
  older: unknown,
  newer: unknown,
  writing: WriterVersion,
  options: CompatibilityOptions,
): CompatibilityResult {
  const [first, second] = [openProtobufSchema(older), openProtobufSchema(newer)];
  const policy = options.policy ?? "json";
  const readerIsOlder = writing === "newer";
  const [writer, reader] = readerIsOlder ? [second, first] : [first, second];
  const sides: Sides = { writer, reader, policy, readerIsOlder, meter: new StepMeter(options.budget ?? defaultBudget) };
  const comparison = new MessageComparison(sides);
  const { pairs, alone } = pairsOf(sides, options.type);
  for (const [own, other] of pairs) comparison.compare(own, other);
  const names = options.typeName === "travels" && !readerIsOlder ? unreadNames({ pairs, alone }, sides) : [];
  const changes = [...comparison.changes, ...names, ...brokenRules(sides)];
  comparison.doubts.push(...undecidedOf(sides, { pairs, alone }));
  const verdict = verdictOf(changes, comparison.doubts, { relation: comparison.relation, policy });
  const assumptions = [
    `${writing} writes`,
    `policy: ${policy}`,
    `type names: ${options.typeName ?? "agreed"}`,
    ...alone.map((name) =>
      readerIsOlder
        ? `${name} has no counterpart, so nothing of it was compared`
        : `${name} is gone, and nobody sends it: no field leads to it`,
    ),
  ];
  return {
    verdict,
    findings: changes.map((change) => findingOf(change, writing)),
    ...(verdict === "breaking" ? { rest: comparison.doubts.length === 0 ? "safe" : "unproven" } : {}),
    ...(verdict === "safe" ? { trace: traceOf(comparison.relation) } : {}),
    ...(verdict === "unproven" ? { tried: comparison.doubts } : {}),
    assumptions,
    rows: rowsOf(sides, { pairs, alone }, verdict),
  };
}

function verdictOf(
  changes: readonly ProtobufChange[],
  doubts: readonly string[],
  { relation, policy }: { readonly relation: Relation; readonly policy: ProtobufPolicy },
): Verdict {
  if (changes.length > 0) return "breaking";
  return doubts.length === 0 && checkRelation(relation, policy) ? "safe" : "unproven";
}

function findingOf({ sent, writerPlace, readerPlace, ...change }: ProtobufChange, writing: WriterVersion): Finding {
  const [olderPointer, newerPointer] = writing === "older" ? [writerPlace, readerPlace] : [readerPlace, writerPlace];
  const finding = { ...change, olderPointer, newerPointer, writer: writing, instancePointer: "" };
  if (sent === undefined) return hashed(finding);
  const { value, outcome, codec, payload, type } = sent;
  const contentType = codec === "json" ? "application/json" : `application/protobuf; messageType=${type}`;
  return hashed({
    ...finding,
    witness: { value, outcome, encodings: [{ codec, contentType, payload }], hash: hashOf(value, outcome) },
  });
}

/** Root messages that the reader lacks or has under another name; readers look for the name that travels with a message. */
function unreadNames({ pairs, alone }: Pairs, { writer }: Sides): readonly ProtobufChange[] {
  const inner = new Set(
    Array.from(writer.messages.values(), ({ name, fields }) =>
      fields.flatMap(({ message }) => (message === undefined || message.name === name ? [] : [message.name])),
    ).flat(),
  );
  const isNested = ({ name }: ComparedMessage): boolean =>
    writer.messages.has(name.slice(0, Math.max(0, name.lastIndexOf("."))));
  const isRoot = (shape: ComparedMessage): boolean => !inner.has(shape.name) && !isNested(shape);
  const gone = alone.flatMap((name) => writer.messages.get(name) ?? []);
  const unread: readonly (readonly [ComparedMessage, ComparedMessage | undefined])[] = [
    ...pairs.filter(([sent, read]) => sent.name !== read.name),
    ...gone.map((sent) => [sent, undefined] as const),
  ];
  return unread
    .filter(([sent]) => isRoot(sent))
    .map(([sent, read]) => ({
      code: read === undefined ? "type-removed" : "type-renamed",
      message:
        read === undefined
          ? `${sent.name} is gone, and the reader looks for the name that travels with the message.`
          : `${sent.name} is named ${read.name} by the reader, which looks for the name that travels with the message.`,
      repair: `Keep the name and the package of ${sent.name}, or release a new major version.`,
      writerPlace: sent.name,
      readerPlace: read?.name ?? sent.name,
      sent: {
        type: sent.name,
        value: {},
        payload: writer.encode(sent.name, {}),
        codec: "protobuf",
        outcome: `has no message type ${sent.name}`,
      },
    }));
}

/** One row for the bytes and one for the JSON form, whatever the policy. */
function rowsOf(sides: Sides, { pairs, alone }: Pairs, verdict: Verdict): readonly CodecRow[] {
  const row = (codec: string, policy: ProtobufPolicy): CodecRow => {
    if (policy === sides.policy) return { codec, verdict, reason: `by policy ${policy}` };
    const other = new MessageComparison({ ...sides, policy });
    for (const [writer, reader] of pairs) other.compare(writer, reader);
    other.doubts.push(...undecidedOf(sides, { pairs, alone }));
    const changes = [...other.changes, ...brokenRules({ ...sides, policy })];
    const own = verdictOf(changes, other.doubts, { relation: other.relation, policy });
    return { codec, verdict: own, reason: changes[0]?.message ?? `by policy ${policy}` };
  };
  return [row("protobuf", "wire"), row("json", sides.policy === "source" ? "source" : "json")];
}

/** A pair of schemas without a type in common proves nothing. */
function undecidedOf({ writer, reader }: Sides, { pairs, alone }: Pairs): readonly string[] {
  const isDecided =
    pairs.length > 0 || (alone.length === 0 && Array.from(writer.enums.keys()).some((name) => reader.enums.has(name)));
  return isDecided ? [] : ["there is no message type that both versions have"];
}

interface Pairs {
  readonly pairs: readonly (readonly [ComparedMessage, ComparedMessage])[];
  readonly alone: readonly string[];
}

function pairsOf({ writer, reader }: Sides, type: string | undefined): Pairs {
  if (type !== undefined) {
    const [message, other] = [writer.messages.get(type), reader.messages.get(type)];
    if (message === undefined || other === undefined) throw unknownType(type);
    return { pairs: [[message, other]], alone: [] };
  }
  const alone: string[] = [];
  const likenessOf = likenesses(reader, writer);
  const own = Array.from(writer.messages.values()).filter(({ name }) => !writer.bundled.has(name));
  const pairs = own.flatMap((message): Pairs["pairs"] => {
    const other = reader.messages.get(message.name) ?? likenessOf(message);
    if (other !== undefined) return [[message, other]];
    alone.push(message.name);
    return [];
  });
  return { pairs, alone };
}

/**
 * Finds a message that was moved or renamed: new in the reader, and the only one with the same fields, or with the same
 * last name.
 */
function likenesses(
  reader: ProtobufSchema,
  writer: ProtobufSchema,
): (message: ComparedMessage) => ComparedMessage | undefined {
  const fresh = Array.from(reader.messages.values()).filter(
    ({ name }) => !writer.messages.has(name) && !reader.bundled.has(name),
  );
  const byFields = Map.groupBy(fresh, signature);
  const byLastName = Map.groupBy(fresh, lastName);
  return (message) => {
    const fields = signature(message);
    const alike = fields === "" ? [] : (byFields.get(fields) ?? []);
    if (alike.length === 1) return alike[0];
    const namesakes = byLastName.get(lastName(message)) ?? [];
    return namesakes.length === 1 ? namesakes[0] : undefined;
  };
}

function lastName({ name }: ComparedMessage): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

function signature({ fields }: ComparedMessage): string {
  return fields
    .map(({ number, name, kind, label }) => `${number} ${name} ${kind} ${label}`)
    .toSorted()
    .join();
}

function traceOf(relation: Relation): readonly string[] {
  return Array.from(relation.values()).flatMap(({ writer, reader, fields }) => [
    `${writer.name} is read as ${reader.name}:`,
    ...Array.from(fields, ([number, reason]) => `  field ${number}: ${reason}`),
  ]);
}
