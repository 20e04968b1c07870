import { parseMessage, type SectionBorder } from "../../wire/amqp/message/amqp-message.ts";
import { section, sectionBySymbol } from "../../wire/amqp/message/section.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { fit, oneLine } from "../display.ts";
import type { Inspected } from "./inspect-json.ts";
import { type Row, rowsOf, rowsOfValues } from "../../serve/inspector/amqp-rows.ts";
import type { Terminal } from "../terminal.ts";

const offsetWidth = 8;
const hexBytes = 8;
const widest = { label: 36, type: 10 };

/** A message or value for people: one line per section, field and item, with offset, type, content and hex. */
export function inspectText(file: string, bytes: Uint8Array, inspected: Inspected, terminal: Terminal): string {
  const { style } = terminal;
  const borders = bordersOf(bytes);
  const what = !inspected.ok ? "not readable" : "sections" in inspected ? "AMQP message" : "AMQP value";
  const head = `${style.bold(oneLine(file))}  ${bytes.byteLength} bytes, ${what}`;
  const failed = inspected.ok ? [] : [style.red(oneLine(failureText(inspected)))];
  return [head, ...failed, ...bodyLines(bytes, borders, terminal)].join("\n");
}

function failureText({ code, message, path }: Extract<Inspected, { readonly ok: false }>): string {
  return `${code}: ${message}${path === undefined ? "" : ` (${path})`}`;
}

function bodyLines(bytes: Uint8Array, borders: readonly SectionBorder[], terminal: Terminal): readonly string[] {
  if (borders.length === 0) return table(bytes, rowsOfValues(bytes), terminal);
  return borders.flatMap((border) => [
    sectionLine(border, terminal),
    ...table(bytes, rowsOf(bytes, border.content, 1, border.name), terminal),
  ]);
}

/** The borders of the sections, or none when the bytes are not a message. */
function bordersOf(bytes: Uint8Array): readonly SectionBorder[] {
  try {
    return parseMessage(bytes).borders();
  } catch (error) {
    if (error instanceof SobreError) return [];
    throw error;
  }
}

/** The names of the sections in the specification, in their order. */
const names = Array.from(sectionBySymbol.keys(), (symbol) => symbol.split(":")[1] ?? "");

function sectionLine({ name, start, end }: SectionBorder, { style }: Terminal): string {
  return `${style.dim(offsetText(start))}  ${style.cyan(names[section[name]] ?? name)}  ${style.dim(`${end - start} bytes`)}`;
}

function offsetText(offset: number): string {
  return `0x${offset.toString(16).padStart(offsetWidth - 2, "0")}`;
}

function table(bytes: Uint8Array, rows: readonly Row[], { style, columns }: Terminal): readonly string[] {
  const labels = rows.map(({ label, depth }) => fit(`${"  ".repeat(depth)}${oneLine(label)}`, widest.label));
  const labelWidth = labels.reduce((most, { length }) => Math.max(most, length), 0);
  const textWidth = Math.max(16, columns - offsetWidth - labelWidth - widest.type - hexBytes * 3 - 8);
  return rows.map((row, index) => {
    const label = (labels[index] ?? "").padEnd(labelWidth);
    const text = fit(oneLine(row.text), textWidth).padEnd(textWidth);
    const type = row.type.padEnd(widest.type);
    return `${style.dim(offsetText(row.offset))}  ${label}  ${style.green(type)}  ${text}  ${style.dim(hexText(bytes, row))}`;
  });
}

function hexText(bytes: Uint8Array, { offset, end }: Row): string {
  const shown = bytes.subarray(offset, Math.min(end, offset + hexBytes));
  const hex = Array.from(shown, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return end - offset > hexBytes ? `${hex}…` : hex;
}
