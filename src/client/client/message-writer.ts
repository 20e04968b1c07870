import { isRecord } from "../../core/envelope/bag.ts";
import { isObject } from "../../core/values/plain-object.ts";
import type { Message } from "../../core/codec/message.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { type MaybePromise, whenReady } from "../../core/message/schema.ts";
import type { PayloadStage } from "../../core/codec/payload-stage.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import type { MessageType, TypedMessage } from "../../core/message/message-type.ts";
import { withTypeClaim } from "../../core/message/type-property.ts";
import type { ClientParts } from "./client-parts.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import { hasMethod } from "../../core/options/is.ts";
import { formatOf, hasFormat, type MessageFormat } from "./message-format.ts";
import { createReturnCheck, type ReturnCheck } from "./return-check.ts";
import { staged } from "./staging.ts";

/** Turns a message into the envelope to send by its message type, the serializer and the stages. */
export type MessageWriter = (message: Message) => MaybePromise<Envelope>;

/**
 * Creates a writer; it throws what the type, the serializer and the stages throw.
 *
 * @param inject Writes the trace context into a message.
 */
export function createMessageWriter(
  parts: Pick<ClientParts, "serializer" | "stages">,
  inject: ((message: Message) => Message) | undefined,
): MessageWriter {
  const ours = writing(parts);
  const formats = new WeakMap<MessageType, FormatWriter>();
  const writingOf = (type: MessageType): FormatWriter => {
    if (!hasFormat(type)) return ours;
    const known = formats.get(type) ?? writing(formatOf(type, parts));
    formats.set(type, known);
    return known;
  };
  const encode = (
    given: Message,
    { serializer, check, before }: FormatWriter,
    typed?: TypedMessage,
  ): MaybePromise<Envelope> => {
    // Assigned here, so that an entity with duplicate detection recognises a repeated send.
    const message = given.messageId === undefined ? { ...given, messageId: crypto.randomUUID() } : given;
    const envelope = serializer.serialize(inject === undefined ? message : inject(message));
    const checked = typed === undefined ? envelope : check(envelope, typed);
    return before.length === 0 ? checked : whenReady(checked, (made) => staged(before, made));
  };
  return (message) => {
    if (!isMessage(message))
      throw invalidOption("messages", "must be a message such as { body }, or an array of messages");
    if ("envelope" in message) {
      throw invalidOption(
        "messages",
        "must not be received messages; resend one with sendEnvelopes(message.envelope), or send a new message with its body",
      );
    }
    if (!isTypedMessage(message)) return encode(message, ours);
    const { messageType, messageVersion: version, contentType = messageType.contentType, ...plain } = message;
    const format = writingOf(messageType);
    const typed: Message = contentType === undefined ? plain : { ...plain, contentType };
    const claimed = (body: unknown): Message =>
      withTypeClaim({ ...typed, body }, { name: messageType.name, version }, messageType.wire, format.contentType);
    const written = messageType.write(message.body, version);
    return whenReady(written, (body) => encode(claimed(body), format, { ...message, body }));
  };
}

/** The writer of the messages of one format. */
interface FormatWriter {
  readonly serializer: Serializer;
  readonly check: ReturnCheck;
  readonly before: readonly PayloadStage[];
  /** The content type of messages that have none. */
  readonly contentType: string;
}

const writing = ({ serializer, stages }: MessageFormat): FormatWriter => ({
  serializer,
  check: createReturnCheck(serializer),
  before: stages.filter((stage) => "beforeSend" in stage),
  contentType: serializer.registry.encoders[0]?.contentType ?? "application/octet-stream",
});

/** Arrays, promises, dates and the like would be sent as messages without a body. */
function isMessage(message: unknown): boolean {
  if (!isObject(message)) return false;
  if ("body" in message) return true;
  const prototype: unknown = Object.getPrototypeOf(message);
  return prototype === null || prototype === Object.prototype;
}

/** Whether a message was made by the `message` function of a message type. */
export function isTypedMessage(message: unknown): message is TypedMessage {
  return isRecord(message) && "body" in message && hasMethod(message["messageType"], "write");
}
