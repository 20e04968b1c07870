import type { FieldShape, MessageShape } from "./shape.ts";

/** What a conversion found beside the values. */
export interface Findings {
  /** Elements of lists and entries of maps. */
  items: number;
  /** Per message type, the numbers of fields that its schema does not have. */
  readonly unknown: Map<string, Set<number>>;
}

type Message = Readonly<Record<string, unknown>>;

/**
 * Turns a message of protobufjs into a plain object: enums as names, fields without presence always there.
 *
 * Lists and maps of scalars are handed on as they are, so the message must not be used afterwards.
 */
export function toPlain(message: Message, shape: MessageShape, findings: Findings): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const field of shape.fields) {
    const value = message[field.name];
    if (field.label === "list") plain[field.name] = list(value, field, findings);
    else if (field.label === "map") plain[field.name] = map(value, field, findings);
    else if (!field.presence) plain[field.name] = value === field.absent ? absent(field) : one(value, field, findings);
    else if (Object.hasOwn(message, field.name)) plain[field.name] = one(value, field, findings);
  }
  const unknown = message["$unknowns"];
  if (unknown !== undefined) note(unknown, shape, findings);
  return plain;
}

function one(value: unknown, field: FieldShape, findings: Findings): unknown {
  if (field.message !== undefined) return isMessage(value) ? toPlain(value, field.message, findings) : value;
  if (field.enumeration !== undefined)
    return typeof value === "number" ? (field.enumeration.names.get(value) ?? value) : value;
  return value;
}

function absent(field: FieldShape): unknown {
  return field.kind === "bytes" ? new Uint8Array(0) : field.fallback;
}

function list(value: unknown, field: FieldShape, findings: Findings): unknown {
  if (!Array.isArray(value)) return [];
  findings.items += value.length;
  if (field.message === undefined && field.enumeration === undefined) return value;
  return value.map((item: unknown) => one(item, field, findings));
}

function map(value: unknown, field: FieldShape, findings: Findings): unknown {
  const plain: Record<string, unknown> = {};
  if (!isMessage(value)) return plain;
  for (const key of Object.keys(value)) {
    findings.items++;
    const entry = entryValue(value[key], field, findings);
    // An assignment would replace the prototype.
    if (key !== "__proto__") plain[key] = entry;
    else Object.defineProperty(plain, key, { value: entry, enumerable: true, configurable: true, writable: true });
  }
  return plain;
}

/** An entry without a value shows an object of protobufjs for 64-bit integers, and a list for bytes. */
function entryValue(value: unknown, field: FieldShape, findings: Findings): unknown {
  if (field.message !== undefined || typeof value !== "object" || value instanceof Uint8Array)
    return one(value, field, findings);
  return field.kind === "bytes" ? new Uint8Array(0) : 0n;
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null;
}

function note(unknown: unknown, shape: MessageShape, { unknown: notes }: Findings): void {
  const numbers = notes.get(shape.name) ?? new Set();
  notes.set(shape.name, numbers);
  for (const raw of Array.isArray(unknown) ? unknown : []) if (raw instanceof Uint8Array) numbers.add(fieldNumber(raw));
}

/** The field number in the tag that begins `raw`. */
function fieldNumber(raw: Uint8Array): number {
  let tag = 0;
  for (let at = 0; at < 5; at++) {
    const byte = raw[at] ?? 0;
    tag += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) break;
  }
  return Math.floor(tag / 8);
}
