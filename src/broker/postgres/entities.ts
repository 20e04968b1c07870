import { type Entity, EntityQueue, type Part, parts } from "../policy/entities.ts";

/** The columns of an entity that the policy does not need. */
export interface EntityRow {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}

/** An entity as nodes cache it. */
export type TableEntity = Entity<EntityRow>;

/** The numbers of an entity's queues in the tables begin at a multiple of it; one is spare. */
const numbersOfEntity = 4;

/** A queue, subscription or sub-queue, or the scheduled messages of a topic. */
export class TableQueue extends EntityQueue<EntityRow> {
  /** Its number in the tables. */
  readonly number: number;

  constructor(entity: TableEntity, part: Part) {
    super(entity, part);
    this.number = queueNumber(entity.id, part);
  }
}

/** The number of an entity's queue in the tables. */
export const queueNumber = (entity: number, part: Part): number => entity * numbersOfEntity + parts.indexOf(part);

/** The entity of a queue. */
export const entityOf = (queue: number): number => Math.floor(queue / numbersOfEntity);

/** Which of its entity's queues one is. */
export const partOf = (queue: number): Part => parts[queue % numbersOfEntity] ?? "messages";

/** The range of an entity's queue numbers; the end is exclusive. */
export const queuesOf = (entity: number): readonly [from: number, to: number] => [
  entity * numbersOfEntity,
  (entity + 1) * numbersOfEntity,
];

/** An entity, after the subscriptions of a topic. */
export const withSubscriptions = (entity: TableEntity): readonly TableEntity[] =>
  entity.type === "topic" ? [...entity.subscriptions.values(), entity] : [entity];
