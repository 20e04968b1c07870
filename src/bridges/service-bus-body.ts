import { Buffer } from "node:buffer";
import type { BodyKind } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { asBytes } from "./bytes.ts";
import type { ServiceBusMessageLike } from "./service-bus-message.ts";

/** A payload and how it travels. */
export interface Body {
  readonly payload: Uint8Array;
  readonly bodyKind: BodyKind;
}

/**
 * The payload of a message of `@azure/service-bus`.
 *
 * Value bodies of text, of bytes and null are encoded as the AMQP value they were; the type of any other is lost in the client.
 *
 * @throws SobreError `InvalidArgument` for a body that the client has parsed.
 */
export function bodyOf({ body, _rawAmqpMessage }: ServiceBusMessageLike): Body {
  const bodyType = _rawAmqpMessage?.bodyType ?? "data";
  if (bodyType === "value" && (body === null || typeof body === "string" || body instanceof Uint8Array)) {
    return { payload: encodeValue(body), bodyKind: "value" };
  }
  // Messages without a body are legal: some are properties only.
  if (body === undefined) return { payload: new Uint8Array(), bodyKind: "data" };
  if (bodyType === "data") {
    if (body instanceof Uint8Array) return { payload: asBytes(body), bodyKind: "data" };
    // Several data sections are one payload (AMQP 1.0 part 3.2.6).
    if (isListOfBytes(body)) return { payload: asBytes(Buffer.concat(body)), bodyKind: "data" };
  }
  throw new SobreError(
    "InvalidArgument",
    bodyType === "data"
      ? "The body is a parsed value instead of bytes, and the bytes that were sent cannot be recovered from it. Open the receiver with { skipParsingBodyAsJson: true }."
      : `The body is an AMQP ${bodyType}, of which the client keeps no bytes; only text, binary and null values can be read through it.`,
    { path: "$.body" },
  );
}

function isListOfBytes(body: unknown): body is readonly Uint8Array[] {
  return Array.isArray(body) && body.length > 0 && body.every((part) => part instanceof Uint8Array);
}

/** AMQP 1.0 part 1.6: null is 0x40, binary 0xa0 or 0xb0, string 0xa1 or 0xb1, by the width of its length. */
function encodeValue(value: null | string | Uint8Array): Uint8Array {
  if (value === null) return Uint8Array.of(0x40);
  const content = typeof value === "string" ? Buffer.from(value, "utf8") : value;
  const short = content.byteLength <= 0xff;
  const head = Buffer.alloc(short ? 2 : 5);
  head[0] = (short ? 0xa0 : 0xb0) + (typeof value === "string" ? 1 : 0);
  if (short) head[1] = content.byteLength;
  else head.writeUInt32BE(content.byteLength, 1);
  return asBytes(Buffer.concat([head, content]));
}
