import type { Serializer } from "../../core/codec/serializer.ts";
import { createEnvelope, type Envelope } from "../../core/envelope/envelope.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { emptyForm } from "../protobuf/json-forms.ts";
import { keySamples, samplesOf } from "../protobuf/kinds.ts";
import { protoJson } from "../protobuf/reading.ts";
import { openProtobufSchema, type ProtobufSchema } from "../protobuf/schema.ts";
import type { ComparedField, ComparedMessage } from "../protobuf/shape.ts";
import type { Subject } from "../subjects/subject.ts";
import type { SubjectVersion } from "../subjects/subject-version.ts";
import type { GoldenMessage, ProducerProperties, RecordingCodec } from "./golden-message.ts";

/** How messages are recorded. */
interface Recording {
  readonly serializer: Serializer;
  /** Codecs besides Protobuf: only JSON, in Protobuf's own JSON form; no other codec has a form for a message. */
  readonly codecs: readonly RecordingCodec[];
  readonly properties: ProducerProperties;
}

/** The maximum number of messages that are recorded of one type. */
const maxRounds = 200;

/**
 * Messages of every type that is not inside another: an empty one, and as many as show each member of each oneof, each value
 * of each enum and the edges of each number, in fields that are set together.
 */
export function protobufSamples(
  subject: Subject,
  { schema: source, version }: SubjectVersion,
  { serializer, codecs, properties }: Recording,
): readonly GoldenMessage[] {
  const schema = openProtobufSchema(source);
  const outer = Array.from(schema.messages.values()).filter(
    ({ name }) => !schema.bundled.has(name) && !schema.messages.has(name.slice(0, Math.max(0, name.lastIndexOf(".")))),
  );
  const writers = new Map<string, (shape: ComparedMessage, sent: Uint8Array) => readonly [string, Uint8Array]>([
    ["protobuf", (shape, sent) => [`application/protobuf; messageType=${shape.name}`, sent]],
  ]);
  const json = codecs.find(({ name }) => name === "json");
  if (json !== undefined) writers.set("json", (shape, sent) => [json.contentType, jsonBytes(schema, shape, sent)]);
  return outer.flatMap((shape) =>
    Array.from(messagesOf(schema, shape)).flatMap(([name, sent]) =>
      Array.from(writers, ([codec, write]): GoldenMessage => {
        const [contentType, payload] = write(shape, sent);
        const envelope = envelopeOf(payload, contentType, properties);
        const result = serializer.deserialize(envelope);
        if (!result.ok) throw result.error;
        const place = { subject: subject.name, version, codec, name };
        return { ...place, envelope, expected: valueToJson(result.body), isWhole: true };
      }),
    ),
  );
}

/** The message type of a golden message, by its name. */
export function messageTypeOf(name: string): string {
  return name.replace(/-.*$/, "");
}

function envelopeOf(payload: Uint8Array, contentType: string, properties: ProducerProperties): Envelope {
  const { applicationProperties, ...brokerProperties } = properties;
  return createEnvelope({ payload, brokerProperties: { ...brokerProperties, contentType }, applicationProperties });
}

function jsonBytes(schema: ProtobufSchema, shape: ComparedMessage, sent: Uint8Array): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(protoJson(schema.decode(shape.name, sent), shape)));
}

/** The bytes of messages of a type, by name; none for a type that cannot be sent. */
function messagesOf(schema: ProtobufSchema, shape: ComparedMessage): ReadonlyMap<string, Uint8Array> {
  const messages = new Map<string, Uint8Array>();
  const known = new Set<string>();
  const add = (name: string, value: Readonly<Record<string, unknown>>): void => {
    const sent = encoded(schema, shape, value);
    const key = sent?.join();
    if (sent === undefined || key === undefined || known.has(key)) return;
    known.add(key);
    messages.set(name, sent);
  };
  const room = { left: maxValues, rounds: 1 };
  add(shape.name, filled(shape, 0, room));
  for (let round = 1; round < Math.min(room.rounds, maxRounds); round++)
    add(`${shape.name}-${round + 1}`, filled(shape, round, { left: maxValues, rounds: 1 }));
  add(`${shape.name}-empty`, {});
  return messages;
}

function encoded(
  schema: ProtobufSchema,
  { name }: ComparedMessage,
  value: Readonly<Record<string, unknown>>,
): Uint8Array | undefined {
  try {
    const payload = schema.encode(name, value);
    schema.decode(name, payload);
    return payload;
  } catch {
    return undefined;
  }
}

/** The maximum number of values in one sample. */
const maxValues = 2000;

/** The values that are still to be placed, and the rounds in which each sample takes its turn. */
interface Room {
  left: number;
  rounds: number;
}

function filled({ fields }: ComparedMessage, round: number, room: Room, depth = 0): Readonly<Record<string, unknown>> {
  const oneofs = Map.groupBy(fields, ({ oneof }) => oneof);
  const alone = oneofs.get(undefined) ?? [];
  const chosen = Array.from(oneofs).flatMap(([oneof, members]) => {
    // Every member gets one value before any gets a second.
    const turns = members.flatMap((field) => valuesOf(field).map((value, at) => ({ field, value, at })));
    return oneof === undefined
      ? []
      : turnOf(
          turns.toSorted((a, b) => a.at - b.at),
          round,
          room,
        );
  });
  const set = [
    ...alone.flatMap((field) => turnOf(valuesOf(field), round, room).map((value) => ({ field, value }))),
    ...chosen,
  ];
  return Object.fromEntries(
    set.flatMap(({ field, value: sample }): readonly (readonly [string, unknown])[] => {
      // A message that requires itself has no end; the writer cannot send it.
      if (--room.left < 0 || depth > 100) return [];
      if (field.message !== undefined && depth > 3 && !field.required) return [];
      const hasOwnForm = field.message !== undefined && emptyForm(field.message) !== undefined;
      const value = field.message === undefined || hasOwnForm ? sample : filled(field.message, round, room, depth + 1);
      return [[field.name, labelled(field, value)]];
    }),
  );
}

function labelled({ label, keyKind }: ComparedField, value: unknown): unknown {
  if (label === "many") return [value];
  return label === "map" ? { [keySamples(keyKind)[0] ?? ""]: value } : value;
}

/** The values that a field's type names: the bounds of numbers, and every value of an enum. */
function valuesOf(field: ComparedField): readonly unknown[] {
  const { enumeration, hasPresence } = field;
  const samples = samplesOf(field);
  if (enumeration === undefined) return samples;
  const named = samples.filter((number) => typeof number === "number" && enumeration.names.has(number));
  const isZeroSeen = hasPresence && enumeration.names.has(0) && !named.includes(0);
  return isZeroSeen ? [...named, 0] : named;
}

function turnOf<Value>(values: readonly Value[], round: number, room: Room): readonly Value[] {
  room.rounds = Math.max(room.rounds, values.length);
  const value = values[round % Math.max(1, values.length)];
  return value === undefined ? [] : [value];
}
