import type { Message, PayloadStage, Serializer } from "../codec/index.ts";
import type { Engine, EngineSender, TransactionOption } from "../engine/index.ts";
import type { Envelope } from "../envelope/index.ts";

/** Sends messages to one entity. */
export interface Sender {
  readonly entityPath: string;
  /**
   * Serializes and sends one message or several; resolves when all are accepted, and none was accepted when it rejects.
   *
   * @throws SobreError what the serializer, a stage or the engine throws.
   */
  sendMessages(messages: Message | readonly Message[], options?: TransactionOption): Promise<void>;
  /** Sends envelopes as they are, without serializer and stages; for re-driving and for bridges. */
  sendEnvelopes(envelopes: Envelope | readonly Envelope[], options?: TransactionOption): Promise<void>;
  close(): Promise<void>;
}

/** What the ends of a client share. */
export interface ClientParts {
  readonly engine: Engine;
  readonly serializer: Serializer;
  readonly stages: readonly PayloadStage[];
}

/** Makes a sender; the link is opened by the first send. */
export function createSender(entityPath: string, { engine, serializer, stages }: ClientParts): Sender {
  let link: Promise<EngineSender> | undefined;
  const open = (): Promise<EngineSender> => {
    link ??= engine.openSender(entityPath);
    // A failed opening is not kept, so that the next send tries again.
    link.catch(() => (link = undefined));
    return link;
  };
  return {
    entityPath,
    async sendMessages(messages, options) {
      const envelopes: Envelope[] = [];
      for (const message of listOf<Message>(messages)) {
        let envelope = serializer.serialize(message);
        for (const stage of stages) envelope = (await stage.beforeSend?.(envelope)) ?? envelope;
        envelopes.push(envelope);
      }
      await (await open()).send(envelopes, options);
    },
    async sendEnvelopes(envelopes, options) {
      await (await open()).send(listOf<Envelope>(envelopes), options);
    },
    async close() {
      await (await link)?.close();
    },
  };
}

function listOf<T>(items: T | readonly T[]): readonly T[] {
  return isList(items) ? items : [items];
}

function isList<T>(items: T | readonly T[]): items is readonly T[] {
  return Array.isArray(items);
}
