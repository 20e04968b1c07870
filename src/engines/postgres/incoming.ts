import { decodeMessage } from "../../amqp/message/decode-message.ts";
import { encodeMessage } from "../../amqp/message/encode-message.ts";
import { complete, kept } from "../../amqp/message/kept-envelope.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import { sizeOfEnvelope } from "../../envelope/size-of.ts";
import type { Incoming } from "./placement.ts";

/** A message as a sender hands it in, with bytes that nobody else has: it is written long after the call. */
export function sent(given: Envelope): Incoming {
  const { envelope, besides } = kept(given);
  const encoded = encodeMessage(envelope);
  // A received message is encoded as the bytes that it came in, which its receiver holds.
  const bytes = given.origin === undefined ? encoded : new Uint8Array(encoded);
  return {
    envelope: complete(decodeMessage(bytes), besides),
    size: sizeOfEnvelope(given),
    hops: 0,
    first: undefined,
    mark: undefined,
  };
}
