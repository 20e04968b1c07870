import type { PayloadStage, ReadResult, Serializer, UnreadableResult } from "../codec/index.ts";
import type { Envelope } from "../envelope/index.ts";
import { SobreError } from "../errors/index.ts";
import { createTypeReader, type MaybePromise, type MessageType, type TypedReadResult } from "../message/index.ts";

/** What became of a received envelope. */
export type MessageResult = TypedReadResult | UnreadableResult;

/** Turns a received envelope into a body, through the stages in reverse order, the serializer and the message types. */
export type MessageReader = (envelope: Envelope) => MaybePromise<MessageResult>;

/**
 * Makes a reader; it never rejects: what a stage or a type throws makes the message unreadable with its code.
 *
 * @throws SobreError `InvalidArgument` when two message types share a name.
 */
export function createMessageReader(
  { serializer, stages }: { readonly serializer: Serializer; readonly stages: readonly PayloadStage[] },
  messageTypes: readonly MessageType[] = [],
): MessageReader {
  const after = stages.filter((stage) => "afterReceive" in stage).toReversed();
  const readType = messageTypes.length === 0 ? undefined : createTypeReader(messageTypes);
  const read = (envelope: Envelope): MaybePromise<MessageResult> => {
    const result = serializer.deserialize(envelope);
    if (!result.ok) return result;
    return readType === undefined ? untyped(result) : readType(envelope, result);
  };
  if (after.length === 0) return read;
  return async (received) => {
    let envelope = received;
    for (const stage of after) {
      try {
        envelope = (await stage.afterReceive?.(envelope)) ?? envelope;
      } catch (error) {
        return { ok: false, error: stageError(stage.name, error), attempts: [] };
      }
    }
    return read(envelope);
  };
}

function untyped(result: ReadResult): TypedReadResult {
  return { ...result, messageType: undefined, messageVersion: undefined };
}

function stageError(stage: string, cause: unknown): SobreError {
  if (cause instanceof SobreError) return cause;
  const what = cause instanceof Error ? cause.name : typeof cause;
  return new SobreError("DecodeFailed", `The stage "${stage}" broke with a ${what} on this payload.`, { cause });
}
