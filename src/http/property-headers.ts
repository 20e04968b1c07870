import { checkOption, listOf, text as isText, anObject } from "../options/option-checks.ts";
import { setMember } from "../values/plain-object.ts";
import type { ApplicationProperties, ApplicationPropertyValue } from "../envelope/application-properties.ts";
import { Typed } from "../values/typed.ts";

/** Headers that belong to HTTP or to the service and are not properties of a message. */
const reserved = new Set(
  (
    "accept accept-charset accept-encoding accept-language authorization brokerproperties cache-control connection " +
    "content-encoding content-length content-type cookie dnt expect forwarded host keep-alive location " +
    "pragma proxy-authorization referer sec-fetch-mode server servicebusauthorization set-cookie te trailer " +
    "transfer-encoding upgrade user-agent www-authenticate sobre-omitted-properties"
  ).split(" "),
);

/** Headers of HTTP whose values are never quoted text: quoted text under these names is a property. */
const quotedOnly = new Set(["date", "from", "origin", "via"]);

/** A valid header name (RFC 9110 section 5.6.2). */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;

/** The application properties in the headers of a request: text in quotes, numbers and booleans bare. */
export function readPropertyHeaders(rawHeaders: readonly string[]): ApplicationProperties {
  checkOption("rawHeaders", rawHeaders, listOf("strings", isText));
  const properties: Record<string, ApplicationPropertyValue> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const text = rawHeaders[index + 1] ?? "";
    if (!isPropertyHeader(name, text)) continue;
    setMember(properties, name, valueOf(text));
  }
  return properties;
}

function isPropertyHeader(name: string, text: string): boolean {
  const lower = name.toLowerCase();
  return quotedOnly.has(lower) ? text.startsWith('"') : !reserved.has(lower);
}

/** The bounds of a long. */
const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];

function valueOf(text: string): ApplicationPropertyValue {
  if (text === "true" || text === "false") return text === "true";
  if (/^-?\d{1,19}$/.test(text)) return integerOf(text);
  if (/^-?\d{1,17}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/i.test(text)) return new Typed("double", Number(text));
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : text;
  } catch {
    return text.slice(1, -1);
  }
}

function integerOf(text: string): ApplicationPropertyValue {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  const long = BigInt(text);
  return long >= least && long <= most ? long : text;
}

/** Headers for application properties; {@link omittedProperties} are left out. */
export function writePropertyHeaders(properties: ApplicationProperties): Record<string, string> {
  checkOption("properties", properties, anObject);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(properties)) {
    const text = headerOf(name, value);
    if (text !== undefined) headers[name] = text;
  }
  return headers;
}

/** The names of the properties that no header can carry, by their names or values. */
export function omittedProperties(properties: ApplicationProperties): readonly string[] {
  checkOption("properties", properties, anObject);
  return Object.entries(properties).flatMap(([name, value]) => (headerOf(name, value) === undefined ? [name] : []));
}

function headerOf(name: string, value: ApplicationPropertyValue | undefined): string | undefined {
  const text = textOf(value);
  if (text === undefined || !headerName.test(name) || name === "__proto__") return undefined;
  return isPropertyHeader(name, text) ? text : undefined;
}

function textOf(value: ApplicationPropertyValue | undefined): string | undefined {
  if (value instanceof Typed && value.type === "double" && typeof value.value === "number")
    return doubleText(value.value);
  const plain = value instanceof Typed ? value.value : value;
  if (typeof plain === "string") return quoted(plain);
  if (typeof plain === "number" || typeof plain === "bigint" || typeof plain === "boolean") return String(plain);
  return plain instanceof Date ? quoted(plain.toUTCString()) : undefined;
}

/** A double that is read as one again. */
function doubleText(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** A JSON string of ASCII characters alone, so that nothing of it can end the header. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
