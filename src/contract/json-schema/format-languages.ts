import { parsedJson } from "../../core/values/json.ts";
import {
  date,
  duration,
  either,
  email,
  hostname,
  idnEmail,
  idnHostname,
  ipv4,
  ipv6,
  iri,
  time,
  uri,
  uriTemplate,
  whole,
} from "./format-grammar.ts";

/** The texts of a format, as far as validators agree on them. */
export interface FormatLanguage {
  /** The pattern of texts that every validator accepts. */
  readonly inner: string;
  /** The pattern of every text that some validator accepts. */
  readonly outer: string;
  /** The truth about texts between the two. Default: validators differ. */
  readonly between?: (text: string) => boolean | undefined;
}

/** Images of one grey pixel. */
export const smallestImages: Readonly<Record<"png" | "jpeg", string>> = {
  png: atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg=="),
  jpeg: atob(
    `/9j/2wBDAAEB${"AQEB".repeat(20)}AQH/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z`,
  ),
};

/** The formats whose texts are known; for any other format nothing is known. */
export const formatLanguages: ReadonlyMap<string, FormatLanguage> = new Map<string, FormatLanguage>([
  ["date", exact(date)],
  ["date-time", { ...bounds(pairOf("[Tt]", time.inner), pairOf("[Tt\\u{20}]", time.outer)), between: isLeapAt }],
  ["time", { ...bounds(time.inner, time.outer), between: isLeapSecond }],
  ["duration", bounds(duration.inner, duration.outer)],
  ["email", bounds(email.inner, email.outer)],
  ["idn-email", bounds(idnEmail.inner, idnEmail.outer)],
  ["hostname", { ...bounds(hostname.inner, hostname.outer), between: isShortHost }],
  ["idn-hostname", bounds(either(hostname.inner, idnHostname.inner), idnHostname.outer)],
  ["ipv4", exact(ipv4)],
  ["ipv6", exact(ipv6)],
  ["uri", bounds(uri.absolute.inner, uri.absolute.outer)],
  ["uri-reference", bounds(uri.reference.inner, uri.reference.outer)],
  ["iri", bounds(iri.absolute.inner, iri.absolute.outer)],
  ["iri-reference", bounds(iri.reference.inner, iri.reference.outer)],
  ["uri-template", bounds(uriTemplate.inner, uriTemplate.outer)],
  ["uuid", bounds(uuidOf(""), uuidOf("(?:[Uu][Rr][Nn]:[Uu][Uu][Ii][Dd]:)?"))],
  ["json-pointer", exact("(?:/(?:[^~/]|~[01])*)*")],
  ["relative-json-pointer", bounds(relativePointer(""), relativePointer("(?:[+\\-][1-9][0-9]*)?"))],
  ["regex", { inner: whole("[A-Za-z0-9]*"), outer: "", between: isPattern }],
  ["contentEncoding base64", { inner: whole("(?:[A-Za-z0-9]{4})*"), outer: whole("[A-Za-z0-9+/=\\s_\\-]*") }],
  [
    "contentMediaType application/json",
    {
      inner: whole("(?:null|true|false|[1-9][0-9]{0,9})"),
      outer: "\\S",
      between: (text) => parsedJson(text) !== undefined,
    },
  ],
  // Whether a text is an image is left open, except for the smallest ones.
  ["contentMediaType image/png", { inner: imageOf("png"), outer: "^\\u{89}PNG" }],
  ["contentMediaType image/jpeg", { inner: imageOf("jpeg"), outer: "^\\u{ff}\\u{d8}" }],
]);

function exact(pattern: string): FormatLanguage {
  return bounds(pattern, pattern);
}

function bounds(inner: string, outer: string): FormatLanguage {
  return { inner: whole(inner), outer: whole(outer) };
}

function pairOf(separator: string, ofDay: string): string {
  return `${date}${separator}${ofDay}`;
}

function uuidOf(prefix: string): string {
  return `${prefix}[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}`;
}

/** Newer drafts of relative JSON pointers allow an index shift after the number. */
function relativePointer(shift: string): string {
  return `(?:0|[1-9][0-9]*)${shift}(?:#|(?:/(?:[^~/]|~[01])*)*)`;
}

function isLeapAt(text: string): boolean | undefined {
  return text[10] === " " ? undefined : isLeapSecond(text.slice(11));
}

/** The second 60 comes only after 23:59:59 UTC; `undefined` where the offset is not written as RFC 3339 has it. */
function isLeapSecond(text: string): boolean | undefined {
  const [, hour, minute, second, sign, hours = "0", minutes = "0"] =
    /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/.exec(text) ?? [];
  if (second !== "60") return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  return (Number(hour) * 60 + Number(minute) - offset + 2 * 1440) % 1440 === 1439;
}

function isShortHost(text: string): boolean | undefined {
  if (text.length > 254) return false;
  const isPlain = text.length <= 253 && !text.endsWith(".");
  // Two hyphens there mark Punycode, which some validators read.
  return isPlain && !/(?:^|\.)..--/.test(text) ? true : undefined;
}

function isPattern(text: string): boolean | undefined {
  try {
    return new RegExp(text, "u") instanceof RegExp;
  } catch {
    // Some validators accept the syntax of older engines.
    return isLoosePattern(text) ? undefined : false;
  }
}

function isLoosePattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

function imageOf(kind: keyof typeof smallestImages): string {
  return whole(
    Array.from(smallestImages[kind], (symbol) => `\\u{${(symbol.codePointAt(0) ?? 0).toString(16)}}`).join(""),
  );
}
