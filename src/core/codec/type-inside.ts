import { looksLike } from "./looks-like.ts";

/** Media types that the readers for compressed data, .NET and Java accept without sniffing the bytes again. */
const marked: ReadonlySet<string> = new Set([
  "application/x-java-serialized-object",
  "application/x-nrbf",
  "application/x-nbfx",
  "application/gzip",
  "application/zlib",
  "application/xml",
  "application/json",
]);

/** The content type of what was opened: the declared one, or what the bytes look like; left open where neither decides. */
export function typeInside(bytes: Uint8Array, declared: string | undefined): { readonly contentType?: string } {
  if (declared !== undefined) return { contentType: declared };
  const likeness = looksLike(bytes);
  return likeness !== undefined && marked.has(likeness.contentType) ? { contentType: likeness.contentType } : {};
}
