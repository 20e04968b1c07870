import type { Decoded, Unwrapped } from "../../../src/codec/codec.ts";
import { documentInside } from "../../../src/codec/document-inside.ts";

/** The bodies that are opened. */
interface OpenRules {
  /** Text, or bytes, that are JSON, as the content type says. */
  readonly json: boolean;
  /** Bytes that are a document of any format. */
  readonly bytes: boolean;
}

/** A body that was read, or the document that it is. */
export function openedBody(decoded: Decoded, rules: OpenRules): Decoded | Unwrapped {
  const { body } = decoded;
  if (typeof body === "string") {
    return rules.json && isJson(body) ? { unwrapped: new TextEncoder().encode(body) } : decoded;
  }
  if (!(body instanceof Uint8Array) || !(rules.json || rules.bytes)) return decoded;
  const inside = documentInside(body);
  if (inside === undefined || (!rules.bytes && inside.contentType !== "application/json")) return decoded;
  return { ...inside, otherwise: decoded };
}

/** Text under a wrong content type is the value itself. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
    return true;
  } catch {
    return false;
  }
}
