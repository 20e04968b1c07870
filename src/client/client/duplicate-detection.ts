import type { Engine } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/**
 * Whether a queue or topic detects duplicates; `undefined` when the engine does not report it.
 *
 * @throws SobreError when the engine is unavailable: duplicate detection cannot be ruled out then.
 */
export async function detectsDuplicates(engine: Engine, target: string): Promise<boolean | undefined> {
  if (engine.capabilities.duplicateDetection.level === "refused") return false;
  if (engine.capabilities.administration.level === "refused") return undefined;
  try {
    const { admin } = engine;
    const entity = (await admin.queueExists(target)) ? await admin.getQueue(target) : await admin.getTopic(target);
    return entity.requiresDuplicateDetection === true;
  } catch (error) {
    if (error instanceof SobreError && error.retryable && error.code !== "UnauthorizedAccess") throw error;
    return undefined;
  }
}
