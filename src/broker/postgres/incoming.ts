import { decodeMessage } from "../../wire/amqp/message/decode-message.ts";
import { encodeMessage } from "../../wire/amqp/message/encode-message.ts";
import { complete, kept } from "../../wire/amqp/message/kept-envelope.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { assignedIdSize, withMessageId } from "../policy/relabelled-envelope.ts";
import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import type { TableIncoming } from "./placement.ts";

/** A sent message with its own copy of the bytes, since it is written long after the call: the same bytes are stored, so they have the message id. */
export function sent(given: Envelope): TableIncoming {
  const identified = withMessageId(given);
  const { envelope, besides } = kept(identified);
  const encoded = encodeMessage(envelope);
  // Encoding a received message returns its original bytes, which its receiver still holds.
  const bytes = given.origin === undefined ? encoded : new Uint8Array(encoded);
  return {
    envelope: complete(decodeMessage(bytes), besides),
    size: sizeOfEnvelope(given),
    idSize: identified === given ? 0 : assignedIdSize,
    hops: 0,
    enqueuedSequenceNumber: undefined,
    deadLetter: undefined,
  };
}
