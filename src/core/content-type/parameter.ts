import type { ContentType } from "./content-type.ts";

/** The value of the parameter `name` (case-insensitive), or `undefined`. */
export function parameter(contentType: ContentType, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return contentType.parameters.find((candidate) => candidate.name.toLowerCase() === wanted)?.value;
}
