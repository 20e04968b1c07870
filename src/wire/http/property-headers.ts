import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { setMember } from "../../core/values/plain-object.ts";
import type { ApplicationProperties, ApplicationPropertyValue } from "../../core/envelope/application-properties.ts";
import { Typed } from "../../core/values/typed.ts";
import { inAscii } from "./ascii-json.ts";
import { numberFrom, numberText } from "./exact-number.ts";

/** Headers that belong to HTTP or to the service and are not properties of a message. */
const reserved = new Set(
  (
    "accept accept-charset accept-encoding accept-language authorization brokerproperties cache-control connection " +
    "content-encoding content-length content-type cookie dnt expect forwarded host keep-alive location " +
    "pragma proxy-authorization referer sec-fetch-mode server servicebusauthorization set-cookie te trailer " +
    "transfer-encoding upgrade user-agent www-authenticate sobre-omitted-properties sobre-omitted-count"
  ).split(" "),
);

/** Headers of HTTP whose own values are neither quoted text nor numbers: what is, is a property of that name. */
const shared = new Set(["date", "from", "origin", "via"]);

/** A valid header name (RFC 9110 section 5.6.2). */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;

/** The application properties in the headers of a request: text in quotes, numbers and booleans bare. */
export function readPropertyHeaders(rawHeaders: readonly string[]): ApplicationProperties {
  checkOption("rawHeaders", rawHeaders, is.listOf("strings", is.text));
  const properties: Record<string, ApplicationPropertyValue> = {};
  for (const [name, text] of pairs(rawHeaders)) {
    if (isPropertyHeader(name, text)) setMember(properties, name, valueOf(text));
  }
  return properties;
}

/** The names of headers that look like properties by their quoted text, and belong to HTTP or the service. */
export function misnamedProperties(rawHeaders: readonly string[]): readonly string[] {
  return pairs(rawHeaders).flatMap(([name, text]) =>
    reserved.has(name.toLowerCase()) && /^".*"$/.test(text) ? [name] : [],
  );
}

function pairs(rawHeaders: readonly string[]): readonly (readonly [name: string, text: string])[] {
  const found: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    found.push([rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""]);
  return found;
}

/** Whether a header of a message is one of its application properties. */
export function isPropertyHeader(name: string, text: string): boolean {
  const lower = name.toLowerCase();
  return shared.has(lower) ? text.startsWith('"') || typeof valueOf(text) !== "string" : !reserved.has(lower);
}

function valueOf(text: string): ApplicationPropertyValue {
  if (text === "true" || text === "false") return text === "true";
  const number = numberFrom(text);
  if (number !== undefined) return number;
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : text;
  } catch {
    return text.slice(1, -1);
  }
}

/** Headers for application properties; {@link omittedProperties} are left out. */
export function writePropertyHeaders(properties: ApplicationProperties): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, text] of headerTexts(properties)) if (text !== undefined) headers[name] = text;
  return headers;
}

/** The names of the properties that no header can carry: each for its name or value, or since another one has the same name in other case. */
export function omittedProperties(properties: ApplicationProperties): readonly string[] {
  return headerTexts(properties).flatMap(([name, text]) => (text === undefined ? [name] : []));
}

function headerTexts(
  properties: ApplicationProperties,
): readonly (readonly [name: string, text: string | undefined])[] {
  checkOption("properties", properties, is.object);
  // Names of headers are compared without case.
  const taken = new Set<string>();
  return Object.entries(properties).map(([name, value]) => {
    const text = taken.has(name.toLowerCase()) ? undefined : headerOf(name, value);
    if (text !== undefined) taken.add(name.toLowerCase());
    return [name, text];
  });
}

function headerOf(name: string, value: ApplicationPropertyValue | undefined): string | undefined {
  const text = textOf(value);
  if (text === undefined || !headerName.test(name) || name === "__proto__") return undefined;
  return isPropertyHeader(name, text) ? text : undefined;
}

function textOf(value: ApplicationPropertyValue | undefined): string | undefined {
  const number = numberText(value);
  if (number !== undefined) return number;
  const plain = value instanceof Typed ? value.value : value;
  if (typeof plain === "string") return quoted(plain);
  if (typeof plain === "boolean") return String(plain);
  return plain instanceof Date ? quoted(plain.toUTCString()) : undefined;
}

/** A JSON string of only ASCII characters, so that it cannot end the header. */
const quoted = (text: string): string => inAscii(JSON.stringify(text));
