import type { PayloadStage, Serializer } from "../codec/index.ts";
import type { Engine } from "../engine/index.ts";
import { type Processor, type ProcessorHandlers, type ProcessorOptions, startProcessor } from "./processor.ts";
import { createReceiver, type Receiver, type ReceiverOptions } from "./receiver.ts";
import { createSender, type Sender } from "./sender.ts";

/** What {@link createClient} takes. */
export interface ClientOptions {
  readonly engine: Engine;
  readonly serializer: Serializer;
  /** What happens to payloads between serializer and engine. Default: nothing. */
  readonly stages?: readonly PayloadStage[] | undefined;
}

/** Senders, receivers and processors over one engine; the names are those of `@azure/service-bus`. */
export interface Client {
  createSender(entityPath: string): Sender;
  createReceiver(entityPath: string, options?: ReceiverOptions): Receiver;
  /** Starts receiving at once. */
  createProcessor(entityPath: string, handlers: ProcessorHandlers, options?: ProcessorOptions): Processor;
  /** Closes everything the client made, gracefully; the engine stays open. */
  close(): Promise<void>;
}

/** Makes a client. */
export function createClient({ engine, serializer, stages = [] }: ClientOptions): Client {
  const parts = { engine, serializer, stages };
  const open: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(end: T): T => {
    open.push(end);
    return end;
  };
  return {
    createSender: (entityPath) => keep(createSender(entityPath, parts)),
    createReceiver: (entityPath, options) => keep(createReceiver(entityPath, parts, options)),
    createProcessor: (entityPath, handlers, options) => keep(startProcessor(entityPath, parts, handlers, options)),
    async close() {
      await Promise.all(open.splice(0).map((end) => end.close()));
    },
  };
}
