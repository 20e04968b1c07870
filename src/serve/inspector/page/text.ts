import { visibleJson } from "../../../core/values/visible-text.ts";

/** Characters of a text that are shown. */
const maxShownLength = 100_000;

/** A long text, cut, with the number of characters left out. */
export function cutText(text: string): string {
  return text.length <= maxShownLength
    ? text
    : `${text.slice(0, maxShownLength)}\n… ${text.length - maxShownLength} characters more`;
}

/** A value as JSON for people; characters that would be invisible are escapes. */
export const prettyJson = (value: unknown): string => visibleJson(value, 2);

/** A number of bytes, e.g. `1.5 KB`. */
export function sizeText(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"];
  const unit = units.findLastIndex((_, index) => index === 0 || bytes >= 1024 ** index);
  return `${unit === 0 ? bytes : (bytes / 1024 ** unit).toFixed(1)} ${units[unit] ?? ""}`;
}

/** A number of things, e.g. `1 message`. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** A time without the fractions of a second, in UTC. */
export const timeText = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)}Z`;

/** A span of time in its largest unit, e.g. `3 h`. */
export function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const units = [
    ["s", 1],
    ["min", 60],
    ["h", 3600],
    ["d", 86_400],
  ] as const;
  const [unit, length] = units.findLast(([, own]) => seconds >= own) ?? units[0];
  return `${Math.floor(seconds / length).toLocaleString("en")} ${unit}`;
}

/** Lines in parts of about this many characters, so that a request can carry each. */
export function partsOf(lines: string, characters: number): readonly string[] {
  const parts: string[] = [];
  for (const line of lines.split("\n").filter((one) => one.trim() !== "")) {
    const last = parts.at(-1);
    if (last === undefined || last.length + line.length > characters) parts.push(line);
    else parts[parts.length - 1] = `${last}\n${line}`;
  }
  return parts;
}

/** The bytes of base64. */
export const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));

/** A line of a hex dump. */
export interface PageHexLine {
  readonly offset: string;
  readonly hex: string;
  readonly text: string;
}

/** Sixteen bytes on a line: offset, hex and printable ASCII. */
export function hexLines(bytes: Uint8Array, most: number): readonly PageHexLine[] {
  const lines: PageHexLine[] = [];
  for (let at = 0; at < Math.min(bytes.length, most); at += 16) {
    const part = Array.from(bytes.subarray(at, at + 16));
    lines.push({
      offset: at.toString(16).padStart(6, "0"),
      hex: part.map((byte) => byte.toString(16).padStart(2, "0")).join(" "),
      text: part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join(""),
    });
  }
  return lines;
}

/** A line that two texts share, or that only one of them has. */
export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Lines of a text that are compared; longer ones are shown as replaced. */
const maxLines = 1000;

/** The lines of two texts, by their longest common subsequence. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  if (old.length > maxLines || now.length > maxLines) return [...old.map(removed), ...now.map(added)];
  const lengths = old.map(() => new Uint16Array(now.length + 1));
  lengths.push(new Uint16Array(now.length + 1));
  const length = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row !== undefined)
        row[j] = old[i] === now[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
    }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: "same", text: old[i] ?? "" });
      i++;
      j++;
    } else if (j >= now.length || (i < old.length && length(i + 1, j) >= length(i, j + 1))) {
      lines.push(removed(old[i++] ?? ""));
    } else {
      lines.push(added(now[j++] ?? ""));
    }
  }
  return lines;
}

const removed = (text: string): DiffLine => ({ kind: "removed", text });
const added = (text: string): DiffLine => ({ kind: "added", text });
