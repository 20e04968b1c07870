import type { PayloadStage } from "../codec/index.ts";
import type { Envelope } from "../envelope/index.ts";
import { SobreError } from "../errors/index.ts";

/** The envelope as the stages have it sent, in their order. @throws what a stage throws. */
export async function staged(stages: readonly PayloadStage[], encoded: Envelope): Promise<Envelope> {
  let envelope = encoded;
  for (const stage of stages) envelope = (await stage.beforeSend?.(envelope)) ?? envelope;
  return envelope;
}

/** The envelope as it was before the stages, which are undone from the last. @throws SobreError of the stage that cannot be. */
export async function unstaged(stages: readonly PayloadStage[], received: Envelope): Promise<Envelope> {
  let envelope = received;
  for (const stage of stages.toReversed()) {
    try {
      envelope = (await stage.afterReceive?.(envelope)) ?? envelope;
    } catch (error) {
      throw stageError(stage.name, error);
    }
  }
  return envelope;
}

function stageError(stage: string, cause: unknown): SobreError {
  if (cause instanceof SobreError) return cause;
  const what = cause instanceof Error ? cause.name : typeof cause;
  return new SobreError("DecodeFailed", `The stage "${stage}" broke with a ${what} on this payload.`, { cause });
}
