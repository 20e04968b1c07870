import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { isObject, setMember } from "../../core/values/plain-object.ts";
import type { ApplicationProperties, ApplicationPropertyValue } from "../../core/envelope/application-properties.ts";
import { Typed } from "../../core/values/typed.ts";
import { inAscii } from "./ascii-json.ts";
import { numberFrom, numberText, parseExactly } from "./exact-number.ts";

/** Headers that belong to HTTP or to the service and are not properties of a message. */
const reserved = new Set(
  (
    "accept accept-charset accept-encoding accept-language authorization brokerproperties cache-control connection " +
    "content-encoding content-length content-type cookie dnt expect forwarded host keep-alive location " +
    "pragma proxy-authorization referer sec-fetch-mode server servicebusauthorization set-cookie te trailer " +
    "transfer-encoding upgrade user-agent www-authenticate sobre-omitted-properties sobre-omitted-count sobre-properties"
  ).split(" "),
);

/** The header for properties that have none of their own, as a JSON object. */
const togetherHeader = "sobre-properties";

/** The longest of these headers, in characters: clients read 16 KiB of headers in all. */
const maxTogetherLength = 8192;

/** Headers in one word that browsers and caches act on, or did. All of their other headers have a hyphen. */
const acting = new Set(
  (
    "age allow alternates digest dpr downlink ect etag expires im isolation link nel p3p pep protocol public refresh rtt " +
    "setcookie signature sourcemap tk uri vary warning width"
  ).split(" "),
);

/** Names with a hyphen that no browser knows: those of this package, and one of the service's clients. */
const harmless = /^(?:sobre-.*|diagnostic-id)$/;

/** Headers of HTTP whose own values are neither quoted text nor numbers: what is, is a property of that name. */
const shared = new Set(["date", "from", "origin", "via"]);

/** A valid header name (RFC 9110 section 5.6.2). */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;

/**
 * The application properties in the headers of a request: text in quotes, numbers and booleans bare; those without a header
 * of their own from the JSON object in `sobre-properties`.
 *
 * @throws SobreError `InvalidArgument` for such a header that is not one.
 */
export function readPropertyHeaders(rawHeaders: readonly string[]): ApplicationProperties {
  checkOption("rawHeaders", rawHeaders, is.listOf("strings", is.text));
  const properties: Record<string, ApplicationPropertyValue> = {};
  for (const [name, text] of pairs(rawHeaders)) {
    if (isPropertyHeader(name, text)) setMember(properties, name, valueOf(text));
    else if (name.toLowerCase() === togetherHeader) readTogether(text, properties);
  }
  return properties;
}

function readTogether(text: string, properties: Record<string, ApplicationPropertyValue>): void {
  const members = parseExactly(Buffer.from(text, "latin1"), `header ${togetherHeader}`, exactNumber);
  if (!isObject(members)) throw wrongTogether();
  for (const [name, value] of Object.entries(members)) {
    if (!isCarried(value)) throw wrongTogether();
    // As in a header of its own, what is not written as an integer is a double.
    setMember(properties, name, typeof value === "number" ? exactNumber(String(value)) : value);
  }
}

function exactNumber(text: string): number | bigint | Typed {
  const number = numberFrom(text);
  if (number !== undefined) return number;
  throw wrongTogether();
}

const isCarried = (value: unknown): value is string | number | bigint | boolean | Typed =>
  value instanceof Typed || ["string", "number", "bigint", "boolean"].includes(typeof value);

const wrongTogether = (): SobreError =>
  new SobreError(
    "InvalidArgument",
    `The header ${togetherHeader} must be a JSON object of strings, booleans and numbers that a double or 64 bits can hold.`,
  );

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

/**
 * Headers for application properties: one each for names that no browser or cache acts on, and the others together, as a
 * JSON object in `sobre-properties`. {@link omittedProperties} are left out.
 */
export function writePropertyHeaders(properties: ApplicationProperties): Record<string, string> {
  return propertyHeaders(properties).headers;
}

/** The names of the properties that no header can carry: for their values, or behind 8,192 characters of `sobre-properties`. */
export function omittedProperties(properties: ApplicationProperties): readonly string[] {
  return propertyHeaders(properties).omitted;
}

/** The headers of properties, and the names of those that are left out. */
interface PropertyHeaders {
  readonly headers: Record<string, string>;
  readonly omitted: readonly string[];
}

/** {@link writePropertyHeaders} and {@link omittedProperties} at once. */
export function propertyHeaders(properties: ApplicationProperties): PropertyHeaders {
  checkOption("properties", properties, is.object);
  const headers: Record<string, string> = {};
  const members: string[] = [];
  const omitted: string[] = [];
  // Names of headers are compared without case.
  const taken = new Set<string>();
  let length = 2;
  for (const [name, value] of Object.entries(properties)) {
    const text = headerTextOf(value);
    const lower = name.toLowerCase();
    if (text !== undefined && !taken.has(lower) && hasOwnHeader(name, text)) {
      taken.add(lower);
      headers[name] = text;
      continue;
    }
    const member = text === undefined ? "" : `${quoted(name)}:${text}`;
    if (text === undefined || length + member.length > maxTogetherLength) {
      omitted.push(name);
      continue;
    }
    length += member.length + 1;
    members.push(member);
  }
  if (members.length > 0) headers[togetherHeader] = `{${members.join(",")}}`;
  return { headers, omitted };
}

function hasOwnHeader(name: string, text: string): boolean {
  if (!headerName.test(name) || name === "__proto__" || !isPropertyHeader(name, text)) return false;
  const lower = name.toLowerCase();
  return name.includes("-") ? harmless.test(lower) : !acting.has(lower);
}

/** The text of a value in a header, which is JSON, too. */
function headerTextOf(value: ApplicationPropertyValue | undefined): string | undefined {
  const number = numberText(value);
  if (number !== undefined) return number;
  const plain = value instanceof Typed ? value.value : value;
  if (typeof plain === "string") return quoted(plain);
  if (typeof plain === "boolean") return String(plain);
  return plain instanceof Date ? quoted(plain.toUTCString()) : undefined;
}

/** A JSON string of only ASCII characters, so that it cannot end the header. */
const quoted = (text: string): string => inAscii(JSON.stringify(text));
