import type { DeserializeResult, ReadResult, UnreadableResult } from "../../core/codec/result.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import {
  createTypeFinder,
  createTypeReader,
  type TypedReadResult,
  type TypeReader,
} from "../../core/message/type-reader.ts";
import type { MaybePromise } from "../../core/message/schema.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { formatOf, hasFormat, type MessageFormat } from "./message-format.ts";
import { unstaged } from "./staging.ts";

/** The result of reading a received envelope. */
export type MessageResult = TypedReadResult | UnreadableResult;

/** Turns a received envelope into a body by the stages in reverse order, the serializer and the message types. */
export type MessageReader = (envelope: Envelope) => MaybePromise<MessageResult>;

/**
 * Creates a reader. It never rejects: when a stage or type throws, the message is unreadable with that error's code.
 *
 * @throws SobreError `InvalidArgument` when two message types share a name.
 */
export function createMessageReader(parts: MessageFormat, messageTypes: readonly MessageType[] = []): MessageReader {
  const readType = messageTypes.length === 0 ? undefined : createTypeReader(messageTypes);
  const ours = readerOf(parts, parts.serializer, readType);
  if (!messageTypes.some(hasFormat)) return ours;
  const find = createTypeFinder(messageTypes);
  const { registry } = parts.serializer;
  const readers = new Map(
    messageTypes.filter(hasFormat).map((type) => [type, readerOf(formatOf(type, parts), parts.serializer, readType)]),
  );
  return (envelope) => {
    const { contentType } = registry.select(envelope.brokerProperties.contentType, envelope.bodyKind);
    const { type } = find(envelope, contentType);
    return ((type && readers.get(type)) ?? ours)(envelope);
  };
}

/** Reads one format; payloads that its serializer does not read are left to the client's. */
function readerOf(
  { serializer, stages }: MessageFormat,
  clients: Serializer,
  readType: TypeReader | undefined,
): MessageReader {
  const after = stages.filter((stage) => "afterReceive" in stage);
  const read = (envelope: Envelope): MaybePromise<MessageResult> => {
    const isOurs = serializer === clients || !reads(serializer, envelope);
    const result = deserialized(isOurs ? clients : serializer, envelope);
    if (!result.ok) return result;
    return readType === undefined ? untyped(result) : readType(envelope, result);
  };
  if (after.length === 0) return read;
  return async (received) => {
    let envelope: Envelope;
    try {
      envelope = await unstaged(after, received);
    } catch (error) {
      if (error instanceof SobreError) return { ok: false, error, attempts: [] };
      throw error;
    }
    return read(envelope);
  };
}

const reads = ({ registry }: Serializer, { brokerProperties, bodyKind }: Envelope): boolean =>
  registry.select(brokerProperties.contentType, bodyKind).selectedBy !== "nothing";

/** A custom serializer, or the output of a stage, may make this throw; that must not end a processor. */
function deserialized(serializer: Serializer, envelope: Envelope): DeserializeResult {
  try {
    return serializer.deserialize(envelope);
  } catch (cause) {
    const error = SobreError.from(cause, "DecodeFailed", "The serializer failed to read this message");
    return { ok: false, error, attempts: [] };
  }
}

/** Copies member by member, since this runs for every message. */
function untyped(result: ReadResult): TypedReadResult {
  return {
    ok: true,
    body: result.body,
    codec: result.codec,
    contentType: result.contentType,
    typeName: result.typeName,
    attempts: result.attempts,
    layers: result.layers,
    warnings: result.warnings,
    messageType: undefined,
    messageVersion: undefined,
  };
}
