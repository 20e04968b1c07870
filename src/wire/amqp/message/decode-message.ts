import { checkNames } from "../../../core/options/option-checks.ts";
import { checkParts, type Envelope } from "../../../core/envelope/envelope.ts";
import { messageReadNames, type MessageReadOptions } from "./amqp-message.ts";
import { MessageOrigin } from "./message-origin.ts";

/** Options of {@link decodeMessage}. */
export interface DecodeMessageOptions extends MessageReadOptions {
  /**
   * Reads every section immediately and checks the rules of `createEnvelope`, as a broker must to refuse an invalid
   * message on arrival. Default: false.
   */
  readonly check?: boolean | undefined;
}

/** The names of {@link DecodeMessageOptions}. */
export const decodeNames: Readonly<Record<keyof DecodeMessageOptions, true>> = { ...messageReadNames, check: true };

/**
 * Reads an AMQP message as an envelope.
 *
 * Section boundaries are checked immediately; properties are decoded on first access, which may throw. A message
 * without a body has the body kind `value` and an empty payload. Several data sections form one payload.
 * `encodeMessage` returns the same bytes for unamended parts.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload` or `LimitExceeded` with offset and path; with `check` also
 * `InvalidArgument` and `MessageSizeExceeded`.
 * @example
 * ```ts
 * const envelope = decodeMessage(encodeMessage(createEnvelope({ payload: Uint8Array.of(1, 2) })));
 * console.log(envelope.bodyKind, envelope.payload.length); // data 2
 * ```
 */
export function decodeMessage(bytes: Uint8Array, options?: DecodeMessageOptions): Envelope {
  if (options !== undefined) checkNames(options, decodeNames);
  const origin = new MessageOrigin(bytes, options);
  return options?.check === true ? checked(origin) : origin;
}

/** {@link decodeMessage} with `check`. */
export function readChecked(bytes: Uint8Array): Envelope {
  return checked(new MessageOrigin(bytes));
}

function checked(origin: MessageOrigin): Envelope {
  const { message, payload, bodyKind, brokerProperties, applicationProperties } = origin;
  message.check();
  checkParts({ payload, bodyKind, brokerProperties, applicationProperties });
  return origin;
}
