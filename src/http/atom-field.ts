import { SobreError } from "../errors/sobre-error.ts";
import { type DurationLike, toMilliseconds } from "../time/duration.ts";

/** How the value of an element is written. */
export type FieldKind = "duration" | "boolean" | "integer" | "text" | "entity" | "kilobytes";

/** For ever, as .NET's longest span of time. */
const forEver = "P10675199DT2H48M5.4775807S";
const forEverMilliseconds = 10_675_199 * 86_400_000;

/** Writes an option; `undefined` when there is nothing to write. */
export function writeField(kind: FieldKind, value: unknown): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (kind === "duration") return isDuration(value) ? isoDuration(toMilliseconds(value, "duration")) : undefined;
  if (kind === "kilobytes") return String(Math.floor(Number(value) / 1024));
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? `${value}` : undefined;
}

/** Reads an option. @throws SobreError `InvalidArgument` naming the element. */
export function readField(kind: FieldKind, name: string, text: string): unknown {
  const value = text.trim();
  switch (kind) {
    case "text":
      return text;
    // Clients give the whole URI of the entity.
    case "entity":
      return value.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*\//i, "");
    case "boolean":
      if (/^(true|false)$/i.test(value)) return value.toLowerCase() === "true";
      break;
    case "integer":
      if (/^-?\d{1,15}$/.test(value)) return Number(value);
      break;
    case "kilobytes":
      if (/^\d{1,12}$/.test(value)) return Number(value) * 1024;
      break;
    case "duration": {
      const milliseconds = toMilliseconds(value, name);
      return milliseconds >= forEverMilliseconds ? Infinity : milliseconds;
    }
    default:
      return kind satisfies never;
  }
  throw new SobreError("InvalidArgument", `The element ${name} is no ${kind}.`, { path: `$.${name}` });
}

const isDuration = (value: unknown): value is DurationLike => typeof value === "number" || typeof value === "string";

/** Milliseconds as an ISO 8601 duration. */
function isoDuration(milliseconds: number): string {
  if (milliseconds >= forEverMilliseconds) return forEver;
  const days = Math.floor(milliseconds / 86_400_000);
  const hours = Math.floor(milliseconds / 3_600_000) % 24;
  const minutes = Math.floor(milliseconds / 60_000) % 60;
  const seconds = (milliseconds % 60_000) / 1000;
  const time = `${hours > 0 ? `${hours}H` : ""}${minutes > 0 ? `${minutes}M` : ""}${seconds > 0 ? `${seconds}S` : ""}`;
  if (days > 0) return `P${days}D${time === "" ? "" : `T${time}`}`;
  return `PT${time === "" ? "0S" : time}`;
}
