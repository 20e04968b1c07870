import type { DeserializeResult, ReadResult, UnreadableResult } from "../codec/result.ts";
import type { PayloadStage } from "../codec/payload-stage.ts";
import type { Serializer } from "../codec/serializer.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { createTypeReader, type TypedReadResult } from "../message/type-reader.ts";
import type { MaybePromise } from "../message/schema.ts";
import type { MessageType } from "../message/message-type.ts";
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
export function createMessageReader(
  { serializer, stages }: { readonly serializer: Serializer; readonly stages: readonly PayloadStage[] },
  messageTypes: readonly MessageType[] = [],
): MessageReader {
  const after = stages.filter((stage) => "afterReceive" in stage);
  const readType = messageTypes.length === 0 ? undefined : createTypeReader(messageTypes);
  const read = (envelope: Envelope): MaybePromise<MessageResult> => {
    const result = deserialized(serializer, envelope);
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
    warnings: result.warnings,
    messageType: undefined,
    messageVersion: undefined,
  };
}
