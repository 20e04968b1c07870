import { checkOptions, type OptionChecks, checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { Engine } from "../../core/engine/engine.ts";
import { peekPages } from "../../core/engine/peek-pages.ts";
import { openWholeMessage } from "./captured-message.ts";
import type { MigrationSource, SourceMessage } from "./source.ts";

/** Options of {@link createQueueSource}. */
export interface QueueSourceOptions {
  /** Messages per peek. Default: 100. */
  readonly batchSize?: number;
  /** Read only this session. Default: all messages. */
  readonly sessionId?: string;
}

const optionChecks: OptionChecks<QueueSourceOptions> = { batchSize: is.countFrom(1), sessionId: is.text };

/**
 * Creates a source from a queue, subscription or dead-letter queue of an engine, e.g. `orders/$DeadLetterQueue`.
 *
 * It peeks in order of sequence number: messages are not locked, counted, settled or removed. Messages that arrive
 * between the two passes are read only in the second and did not contribute to the schema.
 *
 * @throws SobreError while it is read, whatever {@link Engine.peek} throws.
 */
export function createQueueSource(engine: Engine, entity: string, options: QueueSourceOptions = {}): MigrationSource {
  checkOption("engine", engine, is.engine);
  checkOption("entity", entity, is.entityName);
  checkOptions(options, optionChecks);
  const { batchSize = 100, sessionId } = options;
  return {
    name: `${entity} of ${engine.name}`,
    size: undefined,
    async *messages(): AsyncGenerator<SourceMessage> {
      let done = 0;
      for await (const page of peekPages(engine, entity, { session: sessionId, size: batchSize }))
        for (const delivery of page) yield messageOf(entity, delivery, ++done);
    },
  };
}

function messageOf(entity: string, delivery: Delivery, done: number): SourceMessage {
  const { sequenceNumber, envelope } = delivery;
  const content = { ok: true, envelope: openWholeMessage(envelope), delivery } as const;
  return { id: `${entity}#${sequenceNumber}`, order: sequenceNumber, content, done };
}
