import { checkOption, listOf, text as isText, anObject } from "../options/option-checks.ts";
import { setMember } from "../values/plain-object.ts";
import type { ApplicationProperties, ApplicationPropertyValue } from "../envelope/application-properties.ts";
import { Typed } from "../values/typed.ts";

/** Headers that belong to HTTP or to the service and are not properties of a message. */
const reserved = new Set(
  (
    "accept accept-charset accept-encoding accept-language authorization brokerproperties cache-control connection " +
    "content-encoding content-length content-type cookie date dnt expect forwarded host keep-alive location origin " +
    "pragma proxy-authorization referer sec-fetch-mode server servicebusauthorization set-cookie te trailer " +
    "transfer-encoding upgrade user-agent via www-authenticate"
  ).split(" "),
);

/** A valid header name (RFC 9110 section 5.6.2). */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;

/** The application properties in the headers of a request: text in quotes, numbers and booleans bare. */
export function readPropertyHeaders(rawHeaders: readonly string[]): ApplicationProperties {
  checkOption("rawHeaders", rawHeaders, listOf("strings", isText));
  const properties: Record<string, ApplicationPropertyValue> = {};
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (reserved.has(name.toLowerCase())) continue;
    const value = valueOf(rawHeaders[index + 1] ?? "");
    setMember(properties, name, value);
  }
  return properties;
}

function valueOf(text: string): ApplicationPropertyValue {
  if (text === "true" || text === "false") return text === "true";
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  if (/^-?\d{1,15}\.\d+$/.test(text)) return new Typed("double", Number(text));
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : text;
  } catch {
    return text.slice(1, -1);
  }
}

/** Headers for application properties; those whose names or types no header can have are left out. */
export function writePropertyHeaders(properties: ApplicationProperties): Record<string, string> {
  checkOption("properties", properties, anObject);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(properties)) {
    const text = textOf(value);
    if (text === undefined || !headerName.test(name) || reserved.has(name.toLowerCase()) || name === "__proto__")
      continue;
    headers[name] = text;
  }
  return headers;
}

function textOf(value: ApplicationPropertyValue | undefined): string | undefined {
  const plain = value instanceof Typed ? value.value : value;
  if (typeof plain === "string") return quoted(plain);
  if (typeof plain === "number" || typeof plain === "bigint" || typeof plain === "boolean") return String(plain);
  return plain instanceof Date ? quoted(plain.toUTCString()) : undefined;
}

/** A JSON string of ASCII characters alone, so that nothing of it can end the header. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
