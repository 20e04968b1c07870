import type { DecodeContext, Decoded, Decoder, Unwrapped } from "../core/codec/codec.ts";
import { SobreError } from "../core/errors/sobre-error.ts";
import { isPlainObject } from "../core/values/plain-object.ts";

/** The bytes from which on a whole document is evidence of its format. */
const wholeDocument = 16;

/** Formats with a signature or checksum, and the layers whose inner payload is judged on its own. */
const signed: ReadonlySet<string> = new Set(["java", "nrbf", "gzip", "zlib", "bom"]);
/** Formats that other bytes are by accident, such as text in another charset. */
const accidental: ReadonlySet<string> = new Set(["msgpack", "amqp"]);

/**
 * A fallback decoder for messages that declare no format: a scalar or a near-empty container of MessagePack or AMQP, or
 * short base64, does not prove it.
 */
export function evidentDecoder(decoder: Decoder): Decoder {
  return accidental.has(decoder.name) || decoder.name === "base64" ? decoderOnEvidence(decoder) : decoder;
}

/**
 * A fallback decoder for messages whose declared format failed: another format needs a signature, or a whole document of
 * at least 16 bytes that is not a scalar. Text needs a textual declaration, too: binary formats may be printable.
 */
export function contraryDecoder(decoder: Decoder): Decoder {
  return signed.has(decoder.name) ? decoder : decoderOnEvidence(decoder);
}

function decoderOnEvidence(decoder: Decoder): Decoder {
  return {
    ...decoder,
    decode(payload, context) {
      const read = decoder.decode(payload, context);
      if (payload.byteLength === 0 || isEvident(decoder, read, payload, context)) return read;
      throw new SobreError(
        "DecodeFailed",
        `The ${payload.byteLength === 1 ? "byte" : `${payload.byteLength} bytes`} can be read as ${decoder.name}, but a scalar or a short document does not prove it. Declare the content type.`,
      );
    },
  };
}

function isEvident(
  { name }: Decoder,
  read: Decoded | Unwrapped,
  payload: Uint8Array,
  { contentType }: DecodeContext,
): boolean {
  if ("unwrapped" in read) return read.unwrapped.byteLength >= wholeDocument;
  if (payload.byteLength < wholeDocument) return false;
  if (name === "text") return contentType !== undefined && /^text\/|[/+](?:json|xml)$/.test(contentType.type);
  // A root element is a container, whatever its value.
  if (name === "nbfx" || name === "datacontract-xml") return true;
  return accidental.has(name) ? isStructured(read.body) : isContainer(read.body) && sizeOf(read.body) > 0;
}

const isContainer = (value: unknown): value is object =>
  Array.isArray(value) || value instanceof Map || isPlainObject(value);

const sizeOf = (value: object): number =>
  value instanceof Map ? value.size : Array.isArray(value) ? value.length : Object.keys(value).length;

/** Whether a value is a map with members, or a list with one or with several texts: text in another charset is neither. */
function isStructured(value: unknown): boolean {
  if (!isContainer(value)) return false;
  if (!Array.isArray(value)) return sizeOf(value) > 0;
  return value.some(isStructured) || value.filter((one) => typeof one === "string" && one.length > 1).length > 1;
}
