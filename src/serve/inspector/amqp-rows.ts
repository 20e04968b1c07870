import { formatCodes } from "../../core/amqp-values/format-code.ts";
import { decodeValue } from "../../core/amqp-values/read-value.ts";
import { toTypedJson } from "../../../codecs/amqp/typed-json.ts";
import { propertyNames } from "../../wire/amqp/message/message-properties.ts";
import type { SectionName } from "../../wire/amqp/message/section.ts";
import { valueEnd } from "../../core/amqp-values/value-end.ts";
import { AmqpMap, Typed } from "../../core/values/typed.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { SectionFact } from "./api.ts";

/** One line of an inspected message: a section, or a value in it. */
export type AmqpRow = SectionFact["rows"][number];

/** Deeper values and more rows are not shown. */
const maxShown = { depth: 32, rows: 10_000 };

/** The names of the fields of the sections that are lists (AMQP 1.0 part 3.2.1 and 3.2.4). */
const fields: Partial<Record<SectionName, readonly string[]>> = {
  header: ["durable", "priority", "ttl", "first-acquirer", "delivery-count"],
  properties: propertyNames.map((name) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)),
};

/** The rows of the value at `at`, which need not be well formed: what is broken ends the walk. */
export function rowsOf(bytes: Uint8Array, at: number, depth: number, section?: SectionName): readonly AmqpRow[] {
  const rows: AmqpRow[] = [];
  walk({ bytes, rows, names: section === undefined ? [] : (fields[section] ?? []) }, at, "", depth);
  return capped(rows);
}

/** The rows of consecutive values. */
export function rowsOfValues(bytes: Uint8Array): readonly AmqpRow[] {
  const rows: AmqpRow[] = [];
  let at = 0;
  while (at < bytes.byteLength && rows.length < maxShown.rows) {
    const end = walk({ bytes, rows, names: [] }, at, "", 0);
    if (end === undefined) break;
    at = end;
  }
  return capped(rows);
}

/** The rows with a last one that says so, when there are more than are shown. */
function capped(rows: readonly AmqpRow[]): readonly AmqpRow[] {
  const last = rows[maxShown.rows - 1];
  if (last === undefined) return rows;
  const text = `at most ${maxShown.rows} rows are shown`;
  return [...rows, { offset: last.end, depth: 0, label: "…", type: "", text, end: last.end }];
}

interface Walk {
  readonly bytes: Uint8Array;
  readonly rows: AmqpRow[];
  /** Names of the items of the outermost list. */
  readonly names: readonly string[];
}

/** Adds the rows of a value and returns where it ends, or `undefined` when it is broken. */
function walk(context: Walk, at: number, label: string, depth: number): number | undefined {
  const { bytes, rows } = context;
  const end = valueEnd(bytes, at);
  const code = bytes[at] ?? 0;
  if (rows.length >= maxShown.rows) return undefined;
  if (end < 0) {
    rows.push({ offset: at, depth, label, type: "broken", text: "", end: Math.min(at + 16, bytes.byteLength) });
    return undefined;
  }
  const type = code === 0x00 ? "described" : (formatCodes.get(code)?.type ?? "");
  const holdsOthers = code === 0x00 || ((type === "list" || type === "map") && code !== 0x45);
  if (!holdsOthers || depth > maxShown.depth) {
    rows.push({
      offset: at,
      depth,
      label,
      type,
      text: holdsOthers ? "…" : textOfEncoding(bytes.subarray(at, end)),
      end,
    });
    return end;
  }
  if (code === 0x00) {
    rows.push({ offset: at, depth, label, type, text: "", end: at + 1 });
    const value = walk(context, at + 1, "descriptor", depth + 1);
    return value === undefined ? undefined : walk(context, value, "value", depth + 1);
  }
  walkItems(context, { offset: at, end, label, type, depth });
  return end;
}

function walkItems(context: Walk, { offset, end, label, type, depth }: Omit<AmqpRow, "text">): void {
  const { bytes, rows } = context;
  const wide = (bytes[offset] ?? 0) >= 0xd0;
  const head = wide ? 9 : 3;
  const isMap = type === "map";
  const row = rows.push({ offset, depth, label, type, text: "", end: Math.min(offset + head, end) }) - 1;
  let count = 0;
  let name = "";
  for (let here = offset + head; here < end; count++) {
    const next = valueEnd(bytes, here);
    if (isMap && count % 2 === 0 && next > 0 && next < end) {
      name = textOfEncoding(bytes.subarray(here, next));
      here = next;
      continue;
    }
    const own = isMap ? name : ((row === 0 ? context.names[count] : undefined) ?? `[${count}]`);
    const after = walk(context, here, own, depth + 1);
    if (after === undefined) return;
    here = after;
  }
  const entry = rows[row];
  const items = isMap
    ? `${count / 2} ${count === 2 ? "entry" : "entries"}`
    : `${count} ${count === 1 ? "item" : "items"}`;
  if (entry !== undefined) rows[row] = { ...entry, text: items };
}

/** A value on one line, for people. */
function textOfEncoding(encoding: Uint8Array): string {
  try {
    const value = decodeValue(encoding);
    if (value instanceof Date) return value.toISOString();
    if (value instanceof Uint8Array) return binaryText(value);
    if (value instanceof AmqpMap || Array.isArray(value) || (value instanceof Typed && value.type === "array")) {
      return JSON.stringify(toTypedJson(value).v);
    }
    const plain = value instanceof Typed ? value.value : value;
    return typeof plain === "string" ? JSON.stringify(plain) : scalarText(plain, value);
  } catch (error) {
    if (error instanceof SobreError) return error.code;
    throw error;
  }
}

function scalarText(plain: unknown, value: Parameters<typeof toTypedJson>[0]): string {
  return typeof plain === "object" && plain !== null ? String(toTypedJson(value).v) : String(plain);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function binaryText(bytes: Uint8Array): string {
  try {
    return `${bytes.byteLength} bytes ${JSON.stringify(utf8.decode(bytes.subarray(0, 200)))}`;
  } catch {
    return `${bytes.byteLength} bytes`;
  }
}
