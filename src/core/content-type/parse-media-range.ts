import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import { isTokenValid } from "content-type";
import { SobreError } from "../errors/sobre-error.ts";
import { type MediaRange, mediaRange } from "./media-range.ts";
import { scanParameters } from "./parameters.ts";

/**
 * Parses a media range (RFC 9110 section 12.5.1, with `*+suffix` for the structured suffixes of RFC 6839).
 *
 * @throws SobreError `InvalidArgument` if it is not valid.
 * @example
 * ```ts
 * console.log(matchesRange(parseMediaRange("application/*+json"), parseContentType("application/hal+json"))); // true
 * ```
 */
export function parseMediaRange(text: string): MediaRange {
  checkOption("text", text, is.text);
  const semicolon = text.indexOf(";");
  const head = (semicolon === -1 ? text : text.slice(0, semicolon)).trim().toLowerCase();
  const [type = "", subtype = "", ...rest] = head.split("/");
  const { parameters, skipped } = scanParameters(text, semicolon === -1 ? text.length : semicolon);
  const name = subtype.startsWith("*+") ? subtype.slice(2) : subtype;
  const tokens = (type === "*" && subtype === "*") || (validToken(type) && (subtype === "*" || validToken(name)));
  if (!tokens || rest.length > 0 || skipped.length > 0) {
    throw new SobreError(
      "InvalidArgument",
      `"${text}" is not a media range. Write e.g. "application/json", "application/*+json", "text/*" or "*/*".`,
    );
  }
  return mediaRange(type, subtype, parameters);
}

function validToken(token: string): boolean {
  return isTokenValid(token) && !token.includes("*");
}
