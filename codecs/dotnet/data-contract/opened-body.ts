import type { Decoded, Unwrapped } from "../../../src/core/codec/codec.ts";
import { documentInside } from "../../../src/core/codec/document-inside.ts";

/** Which bodies to unwrap. */
interface OpenRules {
  /** Text or bytes that are JSON, if the content type says so. */
  readonly json: boolean;
  /** Bytes that are a document in any format. */
  readonly bytes: boolean;
}

/** A body as read, or the document that it contains. */
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

/** If the text is not JSON, the content type is wrong and the text is the value itself. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
    return true;
  } catch {
    return false;
  }
}
