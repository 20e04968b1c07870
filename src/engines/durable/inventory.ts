import { subQueueSuffix, subscriptionAddress } from "../../engine/address.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import type { SobreError } from "../../errors/sobre-error.ts";
import type { Part, StoredMessage } from "../memory/store.ts";
import { readEnvelope } from "./fact-rows.ts";
import { headOf, readHead, unpackStatus } from "./message-row.ts";
import type { RowSink } from "./row-bytes.ts";
import { StoreDatabase } from "./store-database.ts";
import { readEntity } from "./stored-entity.ts";

const suffixes: Readonly<Record<Part, string>> = {
  messages: "",
  deadLetters: subQueueSuffix.deadLetter,
  transferDeadLetters: subQueueSuffix.transferDeadLetter,
};

/** A message of a store with the address of its queue. */
export interface Item {
  readonly address: string;
  readonly message: StoredMessage;
  /** @throws SobreError for unreadable sections. */
  envelope(): Envelope;
}

/**
 * Reads every row of a store that no process has open, message by message in order of arrival.
 *
 * @throws SobreError `DecodeFailed` naming the damage, unless `report` is given; `InvalidOperation` when the store is
 * in use.
 */
export function* inventory(directory: string, report?: (error: SobreError) => void): Generator<Item> {
  const database = new StoreDatabase(directory, report);
  try {
    const sink = new ItemSink();
    for (const _row of database.rows(() => sink)) yield* sink.take();
  } finally {
    database.close();
  }
}

class ItemSink implements RowSink {
  readonly #addresses = new Map<number, string>();
  #items: Item[] = [];

  take(): readonly Item[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  entity(entity: number, text: string): void {
    const fact = readEntity(entity, text);
    const topic = fact.type === "subscription" ? (this.#addresses.get(fact.topic) ?? "unknown") : undefined;
    this.#addresses.set(entity, topic === undefined ? fact.name : subscriptionAddress(topic, fact.name));
  }

  message(record: number, entity: number, status: number, row: Uint8Array): void {
    const { message } = readHead(headOf(row), record, entity, unpackStatus(status));
    const address = `${this.#addresses.get(entity) ?? `entity-${entity}`}${suffixes[message.part]}`;
    this.#items.push({ address, message, envelope: () => readEnvelope(row) });
  }

  entityDeleted(): void {}
  counter(): void {}
  rule(): void {}
  ruleDeleted(): void {}
  amended(): void {}
  status(): void {}
  removed(): void {}
  sessionState(): void {}
  seen(): void {}
  forgotten(): void {}
}
