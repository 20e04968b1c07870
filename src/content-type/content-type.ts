import { isTokenValid, isTypeValid } from "content-type";
import { SobreError } from "../errors/index.ts";
import { scanParameters } from "./parameters.ts";

/** One `name=value` of a content type, both as they were written. */
export interface Parameter {
  readonly name: string;
  readonly value: string;
}

/** A parsed content type (RFC 2045 section 5.1). */
export interface ContentType {
  /** Type and subtype in lower case, as `application/json`. */
  readonly type: string;
  /** In order; of several with one name (compared without case) the first is kept. */
  readonly parameters: readonly Parameter[];
  /** The parameters that could not be read and were left out, as the offsets at which they begin. */
  readonly skipped: readonly number[];
}

/** Longer content types are refused: no real one comes near, and headers are for reading. */
export const maxContentTypeLength = 1024;

/**
 * Reads a content type by RFC 2045 section 5.1: tokens, quoted strings, comments, case-insensitive names.
 *
 * Type and subtype are strict. A parameter that breaks the grammar is left out and named in `skipped`,
 * since it must not make a message unreadable.
 *
 * @throws SobreError `InvalidContentType` with the offset, also for lists such as `application/json, text/plain`
 *   and for more than 1,024 characters.
 */
export function parseContentType(text: string): ContentType {
  if (text.length > maxContentTypeLength) {
    throw invalid(`is ${text.length} characters long; ${maxContentTypeLength} are allowed`, maxContentTypeLength);
  }
  const semicolon = text.indexOf(";");
  const head = semicolon === -1 ? text : text.slice(0, semicolon);
  const type = withoutComments(head).trim();
  if (!isTypeValid(type)) {
    if (type.includes(",")) throw invalid("is a list; a message has one content type", head.indexOf(","));
    throw invalid("is not type/subtype in tokens (RFC 2045 section 5.1)", head.length - head.trimStart().length);
  }
  const { parameters, skipped } = semicolon === -1 ? none : scanParameters(text, semicolon);
  return { type: type.toLowerCase(), parameters, skipped };
}

const none: { readonly parameters: readonly Parameter[]; readonly skipped: readonly number[] } = {
  parameters: [],
  skipped: [],
};

/** The value of the parameter `name` (compared without case), or `undefined`. */
export function parameter(contentType: ContentType, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return contentType.parameters.find((candidate) => candidate.name.toLowerCase() === wanted)?.value;
}

/**
 * Writes a content type; values that are no tokens are quoted.
 *
 * @throws SobreError `InvalidContentType` for a type or name that is no token, and for a value with control characters.
 */
export function formatContentType(type: string, parameters: readonly Parameter[] = []): string {
  if (!isTypeValid(type)) throw invalid("is not type/subtype in tokens (RFC 2045 section 5.1)", 0);
  let text = type;
  for (const { name, value } of parameters) {
    if (!isTokenValid(name)) throw invalid("has a parameter name that is no token (RFC 2045 section 5.1)", text.length);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw invalid(`has a value for "${name}" that no quoted string can hold (RFC 2045 section 5.1)`, text.length);
    }
    text += isTokenValid(value) ? `;${name}=${value}` : `;${name}="${value.replaceAll(/["\\]/g, "\\$&")}"`;
  }
  return text;
}

function withoutComments(text: string): string {
  return text.includes("(") ? text.replaceAll(/\s\([^()\\]*\)/g, "") : text;
}

function invalid(what: string, offset: number): SobreError {
  return new SobreError(
    "InvalidContentType",
    `The content type ${what}, at character ${offset}. Write it as in "application/json; charset=utf-8".`,
    {
      offset,
    },
  );
}
