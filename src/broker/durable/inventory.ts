import { subscriptionAddress } from "../../core/engine/address.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { numberIn, rangeOf } from "../memory/sequence-log.ts";
import { deliveryOf } from "../policy/delivery.ts";
import { partSuffixes } from "../policy/entities.ts";
import type { StoredMessage } from "../memory/store.ts";
import { readEnvelope } from "./fact-rows.ts";
import { headOf, readHead, unpackStatus } from "./message-row.ts";
import { NoRows } from "./row-bytes.ts";
import { StoreDatabase } from "./store-database.ts";
import { readEntity } from "./stored-entity.ts";

/** A message of a store with the address of its queue. */
export interface Item {
  readonly address: string;
  readonly message: StoredMessage;
  /** The message as a receiver would see it, without a lock. @throws SobreError for unreadable sections. */
  delivery(): Delivery;
}

/**
 * Reads every row of a store that no process has open, message by message in order of arrival.
 *
 * @throws SobreError `DecodeFailed` naming the damage, unless `report` is given; `InvalidOperation` when the store is
 * in use.
 */
export function* inventory(directory: string, report?: (where: string) => void): Generator<Item> {
  const database = new StoreDatabase(directory, report);
  try {
    const sink = new ItemSink();
    for (const _row of database.rows(() => sink)) yield* sink.take();
  } finally {
    database.close();
  }
}

/** Where the sequence numbers of an entity begin, and whether those outside its sub-queues contain a partition. */
interface Numbering {
  readonly isPartitioned: boolean;
  readonly first: bigint;
}

/** The error for an entity that is lost. */
const unknownNumbering: Numbering = { isPartitioned: false, first: 1n };

/** A delivery without a lock; one that was not settled when the process ended counts, as after a restart. */
function lockFreeDelivery(message: StoredMessage, sequenceNumber: bigint, envelope: Envelope): Delivery {
  const deliveryCount = message.deliveryCount + (message.delivered ? 1 : 0);
  return deliveryOf({ ...message, deliveryCount }, envelope, sequenceNumber, undefined);
}

class ItemSink extends NoRows {
  readonly #addresses = new Map<number, string>();
  readonly #numberings = new Map<number, Numbering>();
  #items: Item[] = [];

  take(): readonly Item[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  override entity(entity: number, text: string): void {
    const fact = readEntity(entity, text);
    if (fact.type === "subscription") {
      this.#addresses.set(entity, subscriptionAddress(this.#addresses.get(fact.topic) ?? "unknown", fact.name));
      this.#numberings.set(entity, this.#numberings.get(fact.topic) ?? unknownNumbering);
      return;
    }
    this.#addresses.set(entity, fact.name);
    this.#numberings.set(entity, { isPartitioned: fact.settings.enablePartitioning, first: fact.first });
  }

  override message(record: number, entity: number, status: number, row: Uint8Array): void {
    const { message } = readHead(headOf(row), record, entity, unpackStatus(status));
    const address = `${this.#addresses.get(entity) ?? `entity-${entity}`}${partSuffixes[message.part]}`;
    const { isPartitioned, first } = this.#numberings.get(entity) ?? unknownNumbering;
    const range = rangeOf(isPartitioned && message.part === "messages", first, message.partition);
    this.#items.push({
      address,
      message,
      delivery: () => lockFreeDelivery(message, numberIn(range, message.ordinal), readEnvelope(row)),
    });
  }
}
