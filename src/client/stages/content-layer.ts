import type { Envelope } from "../../core/envelope/envelope.ts";

/** The content encodings of an envelope without the last one if that is `name`; otherwise `undefined`. */
export function withoutLayer(
  { brokerProperties: { contentEncoding = "" } }: Envelope,
  name: string,
): { readonly contentEncoding: string | undefined } | undefined {
  const comma = contentEncoding.lastIndexOf(",");
  if (encodingsOf(contentEncoding.slice(comma + 1))[0] !== name) return undefined;
  return { contentEncoding: comma < 0 ? undefined : contentEncoding.slice(0, comma) };
}

/** The names in a list of content encodings, in lower case. */
export function encodingsOf(contentEncoding = ""): readonly string[] {
  return contentEncoding
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");
}

/**
 * The content encodings of an envelope with one more on top.
 *
 * A reader without the stage thus refuses the payload instead of misreading it.
 */
export function withLayer({ brokerProperties }: Envelope, name: string): string {
  const { contentEncoding } = brokerProperties;
  return contentEncoding === undefined || contentEncoding.trim() === "" ? name : `${contentEncoding}, ${name}`;
}
