import type { DeserializeResult, PayloadStage, Serializer } from "../codec/index.ts";
import type { Envelope } from "../envelope/index.ts";
import { SobreError } from "../errors/index.ts";

/** Turns a received envelope into a body, through the stages in reverse order and the serializer. */
export type MessageReader = (envelope: Envelope) => Promise<DeserializeResult>;

/** Makes a reader; it never rejects: what a stage throws makes the message unreadable with its code. */
export function createMessageReader(serializer: Serializer, stages: readonly PayloadStage[]): MessageReader {
  const reversed = stages.toReversed();
  return async (received) => {
    let envelope = received;
    for (const stage of reversed) {
      try {
        envelope = (await stage.afterReceive?.(envelope)) ?? envelope;
      } catch (error) {
        return { ok: false, error: stageError(stage.name, error), attempts: [] };
      }
    }
    return serializer.deserialize(envelope);
  };
}

function stageError(stage: string, cause: unknown): SobreError {
  if (cause instanceof SobreError) return cause;
  const what = cause instanceof Error ? cause.name : typeof cause;
  return new SobreError("DecodeFailed", `The stage "${stage}" broke with a ${what} on this payload.`, { cause });
}
