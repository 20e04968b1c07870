import { checkNames } from "../../options/option-checks.ts";
import { createEnvelope, type Envelope } from "../../envelope/envelope.ts";
import { messageReadNames, type MessageReadOptions } from "./amqp-message.ts";
import { MessageOrigin } from "./message-origin.ts";

/** How {@link decodeMessage} reads. */
export interface DecodeMessageOptions extends MessageReadOptions {
  /**
   * Reads every section at once and holds the envelope to the rules of `createEnvelope`, as a broker does
   * that must refuse a bad message when it comes in. Default: false.
   */
  readonly check?: boolean | undefined;
}

/** The names of {@link DecodeMessageOptions}. */
export const decodeNames: Readonly<Record<keyof DecodeMessageOptions, true>> = { ...messageReadNames, check: true };

/**
 * Reads an AMQP message as an envelope.
 *
 * Section borders are checked now; properties are decoded when they are first read, which may throw then.
 * A message without a body has the body kind `value` and a payload of no bytes. Several data sections are one payload.
 * `encodeMessage` gives the same bytes back for what was not amended.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload` or `LimitExceeded` with offset and path;
 *   with `check` also `InvalidArgument` and `MessageSizeExceeded`.
 * @example
 * ```ts
 * const envelope = decodeMessage(encodeMessage(createEnvelope({ payload: Uint8Array.of(1, 2) })));
 * console.log(envelope.bodyKind, envelope.payload.length); // data 2
 * ```
 */
export function decodeMessage(bytes: Uint8Array, options?: DecodeMessageOptions): Envelope {
  if (options !== undefined) checkNames(options, decodeNames);
  return readEnvelope(bytes, options);
}

/** {@link decodeMessage} for callers whose options need no check. */
export function readEnvelope(bytes: Uint8Array, options?: DecodeMessageOptions): Envelope {
  const origin = new MessageOrigin(bytes, options);
  if (options?.check === true) checkAll(origin);
  return origin;
}

function checkAll(origin: MessageOrigin): void {
  const { message, payload, bodyKind, brokerProperties, applicationProperties } = origin;
  // Reading them is the check.
  void [message.deliveryAnnotations, message.messageAnnotations, message.body, message.footer];
  createEnvelope({ payload, bodyKind, brokerProperties, applicationProperties });
}
