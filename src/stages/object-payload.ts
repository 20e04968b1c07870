import { SobreError } from "../errors/sobre-error.ts";
import { tooLarge } from "./claim-check.ts";

/** Keys end with what `randomUUID` makes; no other object is ever asked for. */
const keyForm = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a key, which comes from a message, may be one of this store. */
export const isOwnKey = (key: string, prefix: string): boolean =>
  key.startsWith(prefix) && keyForm.test(key.slice(prefix.length));

/** The bytes of a stored object. @throws SobreError `LimitExceeded` before reading more than `maxBytes`. */
export async function readObject(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
  maxBytes: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.byteLength;
    // Leaving the loop ends the download.
    if (Math.max(size, length) > maxBytes) throw tooLarge(Math.max(size, length), maxBytes);
    parts.push(chunk);
  }
  const payload = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    payload.set(part, offset);
    offset += part.byteLength;
  }
  return payload;
}

/** Stores an object; an error of the service counts as transient. */
export async function stored(store: () => Promise<unknown>): Promise<void> {
  try {
    await store();
  } catch (cause) {
    throw SobreError.from(cause, "ServiceCommunicationProblem", "Storing the payload failed");
  }
}

/** A member of a service's error; names and codes are what its clients document. */
export function memberOfError(error: unknown, name: string): unknown {
  return typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined;
}

/** Whether the body of a download is a stream of bytes, as in Node. */
export function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}
