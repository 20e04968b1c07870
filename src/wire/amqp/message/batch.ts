import { checkNames, checkOption } from "../../../core/options/option-checks.ts";
import * as is from "../../../core/options/is.ts";
import type { Envelope } from "../../../core/envelope/envelope.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { AmqpMessage } from "./amqp-message.ts";
import { annotationName } from "./annotation-name.ts";
import { decodeMessage, type DecodeMessageOptions, decodeNames } from "./decode-message.ts";
import { encodeMessage, type EncodeMessageOptions, encodeNames } from "./encode-message.ts";
import { writeMessage } from "./write-message.ts";

/** The message format of a transfer that carries a batch: one data section per encoded message. */
export const batchMessageFormat = 0x80013700;

/** Maximum number of messages in a batch: each takes far more memory than its minimum of bytes. */
export const maxMessagesInBatch = 10_000;

/**
 * Writes envelopes as one batch, a message of format {@link batchMessageFormat}.
 *
 * As the official clients do, message id, session id and partition key of the first are repeated outside; brokers
 * ignore them.
 *
 * @throws SobreError `InvalidArgument` for an empty list, and as `encodeMessage` does.
 */
export function encodeBatch(envelopes: readonly Envelope[], options?: EncodeMessageOptions): Uint8Array {
  checkOption("envelopes", envelopes, is.listOf("envelopes", is.envelope));
  if (options !== undefined) checkNames(options, encodeNames);
  const [first] = envelopes;
  if (first === undefined) throw new SobreError("InvalidArgument", "A batch needs at least one envelope.");
  const { messageId, sessionId, partitionKey } = first.brokerProperties;
  return writeMessage({
    messageAnnotations: partitionKey === undefined ? undefined : { [annotationName("partitionKey")]: partitionKey },
    properties: messageId === undefined && sessionId === undefined ? undefined : { messageId, groupId: sessionId },
    body: { kind: "data", sections: envelopes.map((envelope) => encodeMessage(envelope, options)) },
  });
}

/**
 * Reads the envelopes of a batch; the outer sections are ignored.
 *
 * @throws SobreError `DecodeFailed` when there are no data sections, `LimitExceeded` for more than {@link maxMessagesInBatch}
 * messages, and as `decodeMessage` does.
 */
export function decodeBatch(bytes: Uint8Array, options?: DecodeMessageOptions): readonly Envelope[] {
  if (options !== undefined) checkNames(options, decodeNames);
  const message = new AmqpMessage(bytes, options);
  const { body } = message;
  if (body?.kind !== "data") {
    throw new SobreError("DecodeFailed", "A batch has no data sections; each message must be in a data section.", {
      path: "$.body",
    });
  }
  if (body.sections.length > maxMessagesInBatch)
    throw new SobreError("LimitExceeded", `A batch has more than ${maxMessagesInBatch} messages. Split it.`);
  const borders = message.borders().filter(({ name }) => name === "data");
  return body.sections.map((data, index) => {
    try {
      return decodeMessage(data, options);
    } catch (error) {
      throw inBatch(error, index, (borders[index]?.end ?? 0) - data.byteLength);
    }
  });
}

/** The error of one message with its place in the batch. */
function inBatch(error: unknown, index: number, start: number): unknown {
  if (!(error instanceof SobreError)) return error;
  const { code, message, offset, path = "$" } = error;
  return new SobreError(code, `Message ${index} of the batch, which begins at byte ${start}: ${message}`, {
    offset: offset === undefined ? undefined : start + offset,
    path: `$.data[${index}]${path.slice(1)}`,
    cause: error,
  });
}
