import type { HexWindow } from "../journal-entry.ts";
import type { FailureReport, MigrationFinding, MigrationReport } from "./report.ts";

/** Display names of target formats. */
export const targetNames: Readonly<Record<MigrationReport["target"], string>> = {
  json: "JSON",
  msgpack: "MessagePack",
  protobuf: "Protobuf",
  "tagged-json": "tagged JSON",
};

/** When a message failed. */
export const stepNames: Readonly<Record<FailureReport["step"], string>> = {
  source: "when taking the message from its source",
  read: "when reading the payload",
  write: "when writing the new payload",
  compare: "when comparing the new payload with the old one",
};

/** Groups findings with the same text. */
export function groupedFindings(findings: readonly MigrationFinding<string>[]): readonly MigrationFinding<string>[][] {
  return [...Map.groupBy(findings, ({ kind, text }) => `${kind} ${text}`).values()];
}

/** A number of bytes, e.g. `1.5 KiB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(3, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${["B", "KiB", "MiB", "GiB"][power]}`;
}

/** A line of a hex dump: its offset, each byte in hex and as a character, and whether it is the one at the marked offset. */
export interface ReportHexLine {
  readonly at: string;
  readonly bytes: readonly { readonly hex: string; readonly text: string; readonly isMarked: boolean }[];
}

/** Lines of up to `width` bytes. */
export function hexLines(
  { bytes, start }: HexWindow,
  offset: number | undefined,
  width = 16,
): readonly ReportHexLine[] {
  const all = Array.from(bytes.match(/../g) ?? [], (hex, index) => {
    const code = Number.parseInt(hex, 16);
    const text = code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : "·";
    return { hex, text, isMarked: start + index === offset };
  });
  return Array.from({ length: Math.ceil(all.length / width) }, (_, line) => ({
    at: String(start + line * width).padStart(8),
    bytes: all.slice(line * width, (line + 1) * width),
  }));
}
