import { randomUUID } from "node:crypto";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { bytes as areBytes, checkOption, numberFrom, text } from "../../core/options/option-checks.ts";
import { type PayloadStore, tooLarge } from "./claim-check.ts";

/** The requests to a service that keeps objects by keys. */
interface ObjectService {
  put(key: string, payload: Uint8Array): Promise<unknown>;
  /** Begins the download of an object. */
  get(key: string): Promise<{ readonly body: unknown; readonly size: number | undefined }>;
  /** Whether an error says that the object is missing. */
  isMissing(error: unknown): boolean;
}

/** A store that keeps each payload as an object whose key is a prefix and a random name. */
export function objectPayloadStore(prefix: string, service: ObjectService): PayloadStore {
  return {
    async put(payload) {
      checkOption("payload", payload, areBytes);
      const key = `${prefix}${randomUUID()}`;
      await stored(() => service.put(key, payload));
      return key;
    },
    async get(key, maxBytes) {
      checkOption("key", key, text);
      checkOption("maxBytes", maxBytes, numberFrom(0));
      if (!isOwnKey(key, prefix)) return undefined;
      try {
        const { body, size = 0 } = await service.get(key);
        return isStream(body) ? await readObject(body, size, maxBytes) : undefined;
      } catch (error) {
        if (service.isMissing(error)) return undefined;
        throw error;
      }
    },
  };
}

/** Keys end with what `randomUUID` makes; no other object is ever asked for. */
const keyForm = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a key, which comes from a message, may be one of this store. */
const isOwnKey = (key: string, prefix: string): boolean =>
  key.startsWith(prefix) && keyForm.test(key.slice(prefix.length));

/** The bytes of a stored object. @throws SobreError `LimitExceeded` before reading more than `maxBytes`. */
async function readObject(chunks: AsyncIterable<Uint8Array>, size: number, maxBytes: number): Promise<Uint8Array> {
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
async function stored(store: () => Promise<unknown>): Promise<void> {
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
function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}
