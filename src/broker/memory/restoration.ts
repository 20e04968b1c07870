import { SobreError } from "../../core/errors/sobre-error.ts";
import type { FactJournal } from "./journal.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { MemoryNamespace } from "./namespace.ts";
import { addRule } from "../policy/entity-changes.ts";
import type { Part } from "../policy/entities.ts";
import type { MemoryEntity } from "./entity.ts";
import type { QueuedMessage } from "./queued-message.ts";
import type { StoreFact, MemoryStore } from "./store.ts";

/**
 * Restores everything in a store, and opens the journal. Delivered but unsettled messages, which an orderly shutdown does
 * not leave, count one more delivery, and are dead-lettered if that was the last one.
 */
export async function restore(namespace: MemoryNamespace, store: MemoryStore, journal: FactJournal): Promise<void> {
  const restoration = new Restoration(namespace);
  namespace.timeline.hold();
  for await (const facts of store.load()) for (const fact of facts) restoration.add(fact);
  restoration.finish(journal);
}

class Restoration {
  readonly #namespace: MemoryNamespace;
  readonly #entities = new Map<number, MemoryEntity>();
  readonly #delivered: (readonly [queue: MessageQueue, message: QueuedMessage])[] = [];
  #lastRecord = 0;
  #lastEntity = 0;

  constructor(namespace: MemoryNamespace) {
    this.#namespace = namespace;
  }

  add(fact: StoreFact): void {
    switch (fact.kind) {
      case "entity": {
        const topic = fact.type === "subscription" ? this.#entity(fact.topic) : undefined;
        const entity = this.#namespace.restore(fact, topic);
        this.#entities.set(fact.entity, entity);
        this.#lastEntity = Math.max(this.#lastEntity, fact.entity);
        return;
      }
      case "message": {
        const { message } = fact;
        const entity = this.#entity(message.entity);
        if (entity.type !== "subscription") entity.usedAt = Math.max(entity.usedAt, message.enqueuedAt);
        const queue = this.#queue(message.entity, message.part);
        const queued = queue.restore(message);
        if (message.delivered) this.#delivered.push([queue, queued]);
        this.#lastRecord = message.record;
        return;
      }
      case "numbers":
        this.#queue(fact.entity, fact.part).store.resume(fact.partition, fact.next);
        return;
      case "used":
        this.#entity(fact.entity).usedAt = fact.at;
        return;
      case "rule": {
        const entity = this.#entity(fact.entity);
        if (entity.type === "subscription") addRule(entity, fact.rule);
        return;
      }
      case "sessionState": {
        const { sessions } = this.#queue(fact.entity, "messages");
        sessions?.setState(sessions.session(fact.session), fact.state, fact.at);
        return;
      }
      case "seen": {
        this.#entity(fact.entity).duplicates?.restore(fact.key, fact.at);
        return;
      }
      case "entityDeleted":
      case "ruleDeleted":
      case "amended":
      case "status":
      case "removed":
      case "forgotten":
        throw new RangeError(`A load yields what is there, and no fact of the kind ${fact.kind}.`);
      default:
        return fact satisfies never;
    }
  }

  finish(journal: FactJournal): void {
    journal.open(this.#lastRecord, this.#lastEntity);
    const now = this.#namespace.timeline.now();
    for (const [queue, message] of this.#delivered) queue.giveBack(message, "counted", now);
    for (const entity of this.#entities.values()) {
      this.#namespace.watch(entity, entity.usedAt);
      // The process may have ended after the settings changed and before the messages were forwarded.
      this.#namespace.router.forwardReady(entity);
    }
    this.#namespace.timeline.begin();
  }

  #entity(entity: number): MemoryEntity {
    const found = this.#entities.get(entity);
    if (found !== undefined) return found;
    throw new SobreError("DecodeFailed", `The store has rows of the entity ${entity}, which is not in it.`);
  }

  #queue(id: number, part: Part): MessageQueue {
    return this.#entity(id).queue(part);
  }
}
