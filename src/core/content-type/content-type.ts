import { invalidOption, checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import { isTokenValid, isTypeValid } from "content-type";
import { SobreError } from "../errors/sobre-error.ts";
import { isQuotable, type Parameter, scanParameters, skipBlanks, wordEnd } from "./parameters.ts";

/** A parsed content type (RFC 2045 section 5.1). */
export interface ContentType {
  /** Type and subtype in lower case, e.g. `application/json`. */
  readonly type: string;
  /** In order; of several with the same name (case-insensitive) the first is kept. */
  readonly parameters: readonly Parameter[];
  /** The offsets of invalid parameters, which were ignored. */
  readonly skipped: readonly number[];
}

/** Maximum length of a content type; real ones are far shorter. */
export const maxContentTypeLength = 1024;

/**
 * Parses a content type by RFC 2045 section 5.1: tokens, quoted strings, comments, case-insensitive names.
 *
 * Type and subtype are strict, with nothing around the slash. A parameter that violates the grammar is ignored and
 * listed in `skipped`, since it must not make a message unreadable; of several with the same name the first counts.
 *
 * @throws SobreError `InvalidContentType` with the offset, also for lists such as `application/json, text/plain`, media
 * ranges such as `application/*+json`, and more than 1,024 characters.
 * @example
 * ```ts
 * const { type, parameters } = parseContentType('application/json; charset="utf-8"');
 * console.log(type, parameters.length); // application/json 1
 * ```
 */
export function parseContentType(text: string): ContentType {
  // Envelopes of other makers hold anything.
  if (typeof text !== "string") throw invalid("is not a string", 0);
  if (text.length > maxContentTypeLength) {
    throw invalid(
      `is ${text.length} characters long; at most ${maxContentTypeLength} are allowed`,
      maxContentTypeLength,
    );
  }
  const begin = skipBlanks(text, 0);
  const end = wordEnd(text, begin, ",");
  const next = skipBlanks(text, end);
  if (text[next] === ",") throw isList(next);
  const type = text.slice(begin, end);
  checkType(type, begin);
  if (next === text.length) return { type: type.toLowerCase(), ...noParameters };
  if (text[next] !== ";") throw invalid("continues after the subtype without a semicolon (RFC 2045 section 5.1)", next);
  const { parameters, skipped } = scanParameters(text, next);
  const listed = skipped.find((offset) => anotherType.test(text.slice(offset)));
  if (listed !== undefined) throw isList(text.indexOf(",", listed));
  return { type: type.toLowerCase(), parameters, skipped };
}

/** `*` as type, as subtype or before its suffix. RFC 6838 section 4.2 leaves the asterisk to media ranges. */
const wildcard = /^\*\/|\/\*(?:\+|$)/;

/** A comma outside quotes and then a second type, as proxies write it when a header comes twice. */
const anotherType = /^[^;]*,\s*[^\s;,"=/]+\/[^\s;,"=/]+\s*(?:[;,]|$)/;

const noParameters: { readonly parameters: readonly Parameter[]; readonly skipped: readonly number[] } = {
  parameters: [],
  skipped: [],
};

/**
 * Writes a content type; values that are not tokens are quoted.
 *
 * @throws SobreError `InvalidContentType` for a type or name that is not a token, a media range, and for a value with control characters.
 */
export function formatContentType(type: string, parameters: readonly Parameter[] = []): string {
  if (typeof type !== "string") throw invalidOption("type", "must be a string");
  checkOption("parameters", parameters, is.listOf("parameters with a name and a value", aParameter));
  checkType(type, 0);
  let text = type;
  for (const { name, value } of parameters) {
    if (!isTokenValid(name))
      throw invalid("has a parameter name that is not a token (RFC 2045 section 5.1)", text.length);
    if (!isQuotable(value)) {
      throw invalid(
        `has a value for "${name}" that a quoted string cannot represent (RFC 2045 section 5.1)`,
        text.length,
      );
    }
    text += isTokenValid(value) ? `;${name}=${value}` : `;${name}="${value.replaceAll(/["\\]/g, "\\$&")}"`;
  }
  return text;
}

const aParameter = is.having("a parameter", { name: is.text, value: is.text });

function checkType(type: string, offset: number): void {
  if (!isTypeValid(type)) throw invalid("is not type/subtype in tokens (RFC 2045 section 5.1)", offset);
  if (wildcard.test(type)) throw invalid("is a media range, but a message has one content type", offset);
}

function isList(offset: number): SobreError {
  return invalid("is a list, but a message has one content type", offset);
}

function invalid(what: string, offset: number): SobreError {
  return new SobreError(
    "InvalidContentType",
    `The content type ${what}, at character ${offset}. Write it like "application/json; charset=utf-8".`,
    {
      offset,
    },
  );
}
