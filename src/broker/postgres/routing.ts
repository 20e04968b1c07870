import { checkProperties } from "../../wire/amqp/message/kept-envelope.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Part, ReceivableEntity, SendableEntity } from "../policy/entities.ts";
import { activeAt, type Arrival, duplicateKeyIn, identified, scheduledArrival } from "../policy/incoming.ts";
import { partitionCount, partitionKeyOf, partitionOfKey } from "../policy/partitions.ts";
import { Router, type SendRoute } from "../policy/router.ts";
import type { TableDirectory } from "./directory.ts";
import { type EntityRow, type TableEntity, TableQueue } from "./entities.ts";
import { besidesMessage, type EntityRoom } from "./entity-room.ts";
import { isOfDatabase } from "./failures.ts";
import type { Passed, Placement, TableIncoming, TableSequence } from "./placement.ts";

let turn = 0;

/** The view of the database that a {@link Routing} has. */
export interface RoutingStore {
  readonly directory: TableDirectory;
  readonly room: EntityRoom;
  /** Whether the id was seen within the window; records it if not. */
  seen(entity: SendableEntity<EntityRow>, key: string): Promise<boolean>;
  /** Notes that messages have come to an entity. */
  used(entity: SendableEntity<EntityRow>): void;
}

/** A message that another entity is still to accept. */
interface Transfer {
  readonly from: ReceivableEntity<EntityRow>;
  readonly incoming: TableIncoming;
  readonly target: string;
  readonly now: number;
}

/** Notes the messages to insert and the sequence numbers to consume, for one statement. */
export class Routing extends Router<EntityRow, TableSequence> {
  readonly placements: Placement[] = [];
  /** The sequence numbers to consume. */
  readonly passed: Passed[] = [];
  readonly #transfers: Transfer[] = [];
  readonly #store: RoutingStore;
  readonly #now: number;

  constructor(store: RoutingStore, now: number) {
    super();
    this.#store = store;
    this.#now = now;
  }

  /**
   * Checks that an entity can accept messages of a sender; `reserved` is the number of bytes already promised to others.
   *
   * @returns the bytes that the messages take.
   * @throws SobreError `MessagingEntityDisabled`, `MessageSizeExceeded`, `QuotaExceeded`, `InvalidArgument`,
   * `InvalidOperation`.
   */
  async check(route: SendRoute<EntityRow>, messages: readonly TableIncoming[], reserved = 0): Promise<number> {
    const cost = this.costOfSend(route, messages);
    if (messages.length > 0) await this.#store.room.check(route.through ?? route.target, cost, reserved);
    return cost;
  }

  /** Accepts checked messages of a sender. */
  async send({ target, through }: SendRoute<EntityRow>, messages: readonly TableIncoming[]): Promise<void> {
    for (const message of messages) {
      if (through === undefined) await this.#accept(target, message, this.#now);
      else this.sendVia(through, message, target.address, this.#now);
      await this.transferAll();
    }
  }

  /** Schedules a checked message, under its sequence number if it has one; returns whether it is no duplicate. */
  async schedule(entity: SendableEntity<EntityRow>, incoming: TableIncoming, number?: bigint): Promise<boolean> {
    const admitted = await this.#admitted(entity, incoming);
    if (admitted === undefined) return false;
    const at = activeAt(admitted, this.#now);
    this.#add(entity, "messages", scheduledArrival(admitted, this.#now), { number, at });
    return true;
  }

  /** Has the next entities accept what was forwarded so far, in order. */
  async transferAll(): Promise<void> {
    for (let next = this.#transfers.shift(); next !== undefined; next = this.#transfers.shift())
      await this.#transferNow(next);
  }

  protected pass(entity: TableEntity, key: string | undefined): Passed {
    const queue = new TableQueue(entity, "messages");
    const passed = { queue, partition: partitionOf(queue, key) };
    this.passed.push(passed);
    return passed;
  }

  protected place(entity: TableEntity, part: Part, arrival: Arrival<TableSequence>): void {
    this.#add(entity, part, arrival);
  }

  protected hold(entity: SendableEntity<EntityRow>, arrival: Arrival<TableSequence>, at: number): void {
    this.#add(entity, "messages", arrival, { number: undefined, at });
  }

  protected transfer(from: ReceivableEntity<EntityRow>, incoming: TableIncoming, target: string, now: number): void {
    this.#transfers.push({ from, incoming, target, now });
  }

  protected checkEnvelope(_entity: TableEntity, envelope: Envelope): void {
    checkProperties(envelope);
    checkIds(envelope);
  }

  protected overheadOf(): number {
    return besidesMessage;
  }

  async #transferNow({ from, incoming, target, now }: Transfer): Promise<void> {
    let entity: SendableEntity<EntityRow>;
    try {
      entity = this.#store.directory.sendable(target);
      await this.#store.room.check(entity, this.costOf(entity, [incoming]));
    } catch (error) {
      // An error of the database fails the send, which may be repeated: the target has refused nothing.
      if (!(error instanceof SobreError) || isOfDatabase(error)) throw error;
      return this.refused(from, incoming, error, now);
    }
    await this.#accept(entity, incoming, now);
  }

  async #accept(entity: SendableEntity<EntityRow>, incoming: TableIncoming, now: number): Promise<void> {
    const admitted = await this.#admitted(entity, incoming);
    if (admitted !== undefined) this.take(entity, admitted, now);
  }

  /** The message with an id, unless it is a duplicate. */
  async #admitted(entity: SendableEntity<EntityRow>, incoming: TableIncoming): Promise<TableIncoming | undefined> {
    this.#store.used(entity);
    const message: TableIncoming = identified(incoming);
    const key = duplicateKeyIn(entity.settings, message.envelope);
    if (key !== undefined && (await this.#store.seen(entity, key))) return undefined;
    const { idSize = 0 } = message;
    return idSize === 0 ? message : { ...message, size: message.size + idSize, idSize: 0 };
  }

  #add(
    entity: TableEntity,
    part: Part,
    arrival: Arrival<TableSequence>,
    schedule?: { readonly number: bigint | undefined; readonly at: number },
  ): void {
    const queue = new TableQueue(entity, part);
    const partition = partitionOf(queue, partitionKeyOf(arrival.envelope));
    this.placements.push({ ...arrival, queue, partition, number: schedule?.number, scheduledFor: schedule?.at });
  }
}

/** The partition of a key; without a key, partitions take turns. */
export function partitionOf(queue: TableQueue, key: string | undefined): number {
  if (!queue.isPartitioned) return 0;
  return key === undefined ? turn++ % partitionCount : partitionOfKey(key);
}

/** @throws SobreError `InvalidArgument` for an id with U+0000, which no text of PostgreSQL can have. */
function checkIds({ brokerProperties }: Envelope): void {
  for (const name of ["messageId", "sessionId", "partitionKey"] as const) {
    const id = brokerProperties[name];
    if (typeof id !== "string" || !id.includes("\0")) continue;
    const told = `The ${name} contains U+0000, which PostgreSQL cannot store. Remove it.`;
    throw new SobreError("InvalidArgument", told, { path: `$.brokerProperties.${name}` });
  }
}
