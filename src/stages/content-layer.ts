import type { Envelope } from "../envelope/index.ts";

/** The content encodings of an envelope without the last one, when that is `name`; otherwise `undefined`. */
export function withoutLayer(
  { brokerProperties }: Envelope,
  name: string,
): { readonly contentEncoding: string | undefined } | undefined {
  const names = (brokerProperties.contentEncoding ?? "").split(",").map((one) => one.trim());
  if (names.at(-1)?.toLowerCase() !== name) return undefined;
  return { contentEncoding: names.length === 1 ? undefined : names.slice(0, -1).join(", ") };
}

/**
 * The content encodings of an envelope with one more on top.
 *
 * So a reader without the stage refuses the payload by its name, instead of taking it for what it is not.
 */
export function withLayer({ brokerProperties }: Envelope, name: string): string {
  const { contentEncoding } = brokerProperties;
  return contentEncoding === undefined || contentEncoding.trim() === "" ? name : `${contentEncoding}, ${name}`;
}
