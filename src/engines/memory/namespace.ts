import { checkEntityName, parseAddress, type QueueOptions, queueSettings } from "../../engine/index.ts";
import type { Clock } from "../../time/index.ts";
import type { MessageQueue } from "./message-queue.ts";
import { QueueEntity } from "./queue-entity.ts";
import { entityExists, entityNotFound } from "./refusals.ts";
import { Timeline } from "./timeline.ts";

/** Every entity of a memory engine by its name, and the time they share. */
export class Namespace {
  readonly timeline: Timeline;
  readonly #entities = new Map<string, QueueEntity>();

  constructor(clock: Clock) {
    this.timeline = new Timeline(clock);
  }

  /** @throws SobreError `MessagingEntityAlreadyExists`, or `InvalidArgument`. */
  createQueue(name: string, options: QueueOptions | undefined): void {
    checkEntityName(name);
    const { key } = parseAddress(name);
    if (this.#entities.has(key)) throw entityExists(name);
    this.#entities.set(key, new QueueEntity(name, queueSettings(options), this.timeline));
  }

  /** @throws SobreError `MessagingEntityNotFound`. */
  deleteQueue(name: string): void {
    const entity = this.entity(name);
    this.#entities.delete(parseAddress(name).key);
    entity.destroy(entityNotFound(entity.address));
  }

  /** The queue under a name, not its sub-queues. */
  find(name: string): QueueEntity | undefined {
    return this.#entities.get(parseAddress(name).key);
  }

  /** The entity that an address belongs to. @throws SobreError `MessagingEntityNotFound`. */
  entity(address: string): QueueEntity {
    const entity = this.find(address);
    if (entity === undefined) throw entityNotFound(address);
    return entity;
  }

  /** The queue or sub-queue at an address. @throws SobreError `MessagingEntityNotFound`. */
  queue(address: string): MessageQueue {
    const { subQueue } = parseAddress(address);
    const entity = this.entity(address);
    return subQueue === undefined ? entity.messages : entity.deadLetters;
  }

  all(): Iterable<QueueEntity> {
    return this.#entities.values();
  }
}
