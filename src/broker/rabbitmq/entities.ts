import { EntityQueue, type Entity, type Part } from "../policy/entities.ts";

/** The times that this engine adds to an entity. */
export interface EntityAge {
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}

/** An entity as nodes know it. */
export type KnownEntity = Entity<EntityAge>;

/** A queue, subscription or sub-queue; all but the transfer dead-letter queues are queues of the broker. */
export class BrokerQueue extends EntityQueue<EntityAge> {
  /** The name that the queue has in RabbitMQ. */
  readonly name: string;

  constructor(prefix: string, entity: KnownEntity, part: Part) {
    super(entity, part);
    this.name = `${prefix}${this.address}`;
  }
}
