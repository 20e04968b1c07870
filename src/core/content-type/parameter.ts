import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type { ContentType } from "./content-type.ts";

/**
 * The value of the parameter `name` (case-insensitive), or `undefined`.
 *
 * @example
 * ```ts
 * console.log(parameter(parseContentType("text/plain; charset=utf-8"), "charset")); // utf-8
 * ```
 */
export function parameter(contentType: ContentType, name: string): string | undefined {
  checkOption("contentType", contentType, is.listed("parameters"));
  checkOption("name", name, is.text);
  const wanted = name.toLowerCase();
  return contentType.parameters.find((candidate) => candidate.name.toLowerCase() === wanted)?.value;
}
