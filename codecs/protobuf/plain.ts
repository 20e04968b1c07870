import { generate } from "./reflection.ts";
import type { ProtobufFieldShape, ProtobufMessageShape } from "./shape.ts";

/** Side results of a conversion. */
export interface Findings {
  /** Elements of lists and entries of maps. */
  items: number;
  /** Per message type, the tags of what its schema does not have, each with where in the buffer it was first. */
  unknown: Map<ProtobufMessageShape, Map<number, number>> | undefined;
}

/** Turns a message of protobufjs into a plain object; lists of scalars are handed on, so the message must not be used afterwards. */
export type ToPlain = (message: Readonly<Record<string, unknown>>, findings: Findings) => Record<string, unknown>;

type ConvertOne = (value: unknown, findings: Findings) => unknown;

/**
 * Generates the {@link ToPlain} of a message type: enums as names, fields without presence always there.
 *
 * Generated code, as protobufjs generates its own, since a loop over the fields takes five times as long.
 */
export function plainConverter(
  shape: ProtobufMessageShape,
  known: Map<ProtobufMessageShape, ToPlain> = new Map(),
): ToPlain {
  const made = known.get(shape);
  if (made !== undefined) return made;
  let generated: ToPlain | undefined;
  // A message may contain itself, so the generated code asks for it at its first use.
  const convert: ToPlain = (message, findings) => {
    generated ??= generateConverter(shape, known);
    return generated(message, findings);
  };
  known.set(shape, convert);
  return convert;
}

function generateConverter(shape: ProtobufMessageShape, known: Map<ProtobufMessageShape, ToPlain>): ToPlain {
  const one = shape.fields.map((field) => convertOne(field, known));
  const scope = { one, shape, convertMap, note, hasOwn: Object.hasOwn };
  const lines = shape.fields.map((field, index) => fieldLine(field, index));
  return generate(
    ["m", "f"],
    ["var o={},v,a,j;", ...lines, "if((v=m.$unknowns)!==undefined)note(v,shape,f);", "return o"],
    scope,
  );
}

function fieldLine(field: ProtobufFieldShape, index: number): string {
  const key = `[${JSON.stringify(field.name)}]`;
  const converted = (value: string): string => (field.converts ? `one[${index}](${value},f)` : value);
  if (field.label === "map") return `o${key}=convertMap(m${key},shape.fields[${index}],one[${index}],f);`;
  if (field.label === "list") {
    const begin = `v=m${key};f.items+=v.length;`;
    // Absent, it is one frozen list for all.
    if (!field.converts) return `${begin}o${key}=v.length?v:[];`;
    return `${begin}a=[];for(j=0;j<v.length;++j)a.push(${converted("v[j]")});o${key}=a;`;
  }
  if (field.presence) return `if((v=m${key})!=null&&hasOwn(m,${JSON.stringify(field.name)}))o${key}=${converted("v")};`;
  if (field.kind === "bytes") return `o${key}=(v=m${key}).length?v:new Uint8Array(0);`;
  // Absent, it is an object of protobufjs.
  if (field.kind.endsWith("64")) return `o${key}=typeof(v=m${key})==="bigint"?v:0n;`;
  return `o${key}=${converted(`m${key}`)};`;
}

function convertOne(
  { enumeration, message }: ProtobufFieldShape,
  known: Map<ProtobufMessageShape, ToPlain>,
): ConvertOne {
  if (message !== undefined) {
    const convert = plainConverter(message, known);
    return (value, findings) => (isMessage(value) ? convert(value, findings) : value);
  }
  if (enumeration === undefined) return (value) => value;
  return (value) => (typeof value === "number" ? (enumeration.names.get(value) ?? value) : value);
}

function convertMap(value: unknown, field: ProtobufFieldShape, one: ConvertOne, findings: Findings): object {
  const plain: Record<string, unknown> = {};
  if (!isMessage(value)) return plain;
  for (const key of Object.keys(value)) {
    findings.items++;
    const entry = one(entryValue(value[key], field), findings);
    // An assignment would replace the prototype.
    if (key !== "__proto__") plain[key] = entry;
    else Object.defineProperty(plain, key, { value: entry, enumerable: true, configurable: true, writable: true });
  }
  return plain;
}

/** An entry without a value holds an object of protobufjs for 64-bit integers, and a list for bytes. */
function entryValue(value: unknown, { kind, converts }: ProtobufFieldShape): unknown {
  if (converts || typeof value !== "object" || value instanceof Uint8Array) return value;
  return kind === "bytes" ? new Uint8Array(0) : 0n;
}

function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function note(unknown: unknown, shape: ProtobufMessageShape, findings: Findings): void {
  findings.unknown ??= new Map();
  const tags = findings.unknown.get(shape) ?? new Map<number, number>();
  findings.unknown.set(shape, tags);
  for (const raw of Array.isArray(unknown) ? unknown : []) {
    if (!(raw instanceof Uint8Array)) continue;
    const tag = tagOf(raw);
    if (!tags.has(tag)) tags.set(tag, raw.byteOffset);
  }
}

/** The tag that begins `raw`. */
function tagOf(raw: Uint8Array): number {
  let tag = 0;
  for (let at = 0; at < 5; at++) {
    const byte = raw[at] ?? 0;
    tag += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) break;
  }
  return tag;
}
