import { setTimeout } from "node:timers/promises";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { peekPages } from "../../../src/core/engine/peek-pages.ts";
import { type TransactionRecord, tookEffect } from "./record.ts";
import { deadLetters, entities, source } from "./setup.ts";

/** How the transactions of a round ended. */
export interface Tally {
  committed: number;
  rolledBack: number;
  rejected: number;
  /** Transactions that were rejected though all of their work could succeed. */
  refused: number;
  /** Transactions whose client was cut off before the answer. */
  inDoubt: number;
  /** The messages that they sent, and the deliveries that they ended. */
  work: number;
}

/** The messages that clients were given, besides those of the transactions. */
export interface Given {
  /** Sent to the source before the round. */
  readonly fed: readonly string[];
  readonly delivered: ReadonlySet<string>;
}

/** Where messages are after a round: their ids in order of sequence number, and those deferred. */
class Found {
  readonly #ids = new Map<string, readonly string[]>();
  readonly #sets = new Map<string, ReadonlySet<string>>();
  readonly deferred = new Set<string>();

  /** Waits until nothing changes any longer: a connection that was cut may have been in the middle of a commit. */
  static async still(engine: Engine): Promise<Found> {
    let found = await Found.#in(engine);
    for (;;) {
      await setTimeout(100);
      const next = await Found.#in(engine);
      if (JSON.stringify([...next.#ids]) === JSON.stringify([...found.#ids])) return next;
      found = next;
    }
  }

  static async #in(engine: Engine): Promise<Found> {
    const found = new Found();
    for (const entity of entities) {
      const ids: string[] = [];
      for await (const page of peekPages(engine, entity, { size: 500 }))
        for (const { envelope, state } of page) {
          const id = String(envelope.brokerProperties.messageId);
          ids.push(id);
          if (state === "deferred") found.deferred.add(id);
        }
      const set = new Set(ids);
      if (set.size < ids.length) throw new Error(`A message is in ${entity} twice.`);
      found.#ids.set(entity, ids);
      found.#sets.set(entity, set);
    }
    return found;
  }

  has(entity: string, id: string): boolean {
    return this.in(entity).has(id);
  }

  in(entity: string): ReadonlySet<string> {
    return this.#sets.get(entity) ?? new Set();
  }

  ordered(entity: string): readonly string[] {
    return this.#ids.get(entity) ?? [];
  }
}

/** Checks that each transaction happened as a whole or not at all. @throws an error that names the first that did not. */
export async function checkRound(engine: Engine, records: readonly TransactionRecord[], given: Given): Promise<Tally> {
  const found = await Found.still(engine);
  const tally: Tally = { committed: 0, rolledBack: 0, rejected: 0, refused: 0, inDoubt: 0, work: 0 };
  const effective = records.filter((record) => {
    const effect = tookEffect(record);
    if (record.answer === "accepted" && !record.rollsBack && record.sabotage !== undefined)
      throw new Error(`${record.name} was committed with work that failed: ${record.sabotage}.`);
    if (record.answer === "rejected" && record.rollsBack) throw new Error(`${record.name} could not be rolled back.`);
    tally.work += record.sent.length + record.ended.length;
    if (effect === undefined) tally.inDoubt++;
    else if (effect) tally.committed++;
    else if (record.rollsBack) tally.rolledBack++;
    else tally.rejected++;
    if (record.answer === "rejected" && record.sabotage === undefined) tally.refused++;
    return effect ?? seenEffect(record, found, given);
  });
  checkMessages(effective, found, given);
  checkOrder(effective, found);
  return tally;
}

/** Whether a transaction without an answer took effect, by what is there. @throws an error when a part of it did. */
function seenEffect({ name, sent, ended }: TransactionRecord, found: Found, { delivered }: Given): boolean {
  const signs = [
    ...sent.flatMap(({ id, entities: into }) =>
      into.map((entity) => found.has(entity, id) || (entity === source && delivered.has(id))),
    ),
    ...ended.map(({ id, outcome }) => {
      if (outcome === "deadLettered") return found.has(deadLetters, id);
      return outcome === "deferred" ? found.deferred.has(id) : !found.has(source, id);
    }),
  ];
  if (new Set(signs).size > 1) throw new Error(`${name} was cut off and took effect in part.`);
  return signs.includes(true);
}

function checkMessages(effective: readonly TransactionRecord[], found: Found, { fed }: Given): void {
  const expected = new Map(entities.map((entity) => [entity, new Set<string>()]));
  const deferred = new Set<string>();
  const gone = new Map<string, string>();
  const expectIn = (entity: string, id: string): void => void expected.get(entity)?.add(id);
  for (const id of fed) expectIn(source, id);
  for (const { sent } of effective)
    for (const { id, entities: into } of sent) for (const entity of into) expectIn(entity, id);
  for (const { name, ended } of effective)
    for (const { id, outcome } of ended) {
      const before = gone.get(id);
      if (before !== undefined) throw new Error(`${name} ended the delivery of ${id}, which ${before} had ended.`);
      gone.set(id, name);
      if (outcome === "deferred") deferred.add(id);
      else expected.get(source)?.delete(id);
      if (outcome === "deadLettered") expectIn(deadLetters, id);
    }
  for (const [entity, ids] of expected) {
    const missing = firstBeyond(ids, found.in(entity));
    if (missing !== undefined)
      throw new Error(`${missing} is missing in ${entity}, ${gone.get(missing) ?? "unsettled"}.`);
    const more = firstBeyond(found.in(entity), ids);
    if (more !== undefined) throw new Error(`${more} is in ${entity}, which no commit put or left there.`);
  }
  const other = firstBeyond(deferred, found.deferred) ?? firstBeyond(found.deferred, deferred);
  if (other !== undefined) throw new Error(`${other} is ${deferred.has(other) ? "not " : ""}deferred.`);
}

/** The first of the ids that is not among the others. */
function firstBeyond(ids: ReadonlySet<string>, others: ReadonlySet<string>): string | undefined {
  for (const id of ids) if (!others.has(id)) return id;
  return undefined;
}

/** Messages that one link sent have sequence numbers in the order of the commits, and of the sends within each. */
function checkOrder(effective: readonly TransactionRecord[], found: Found): void {
  const ordered = effective.toSorted((left, right) => left.dischargedAs - right.dischargedAs);
  const links = Map.groupBy(
    ordered.flatMap(({ sent }) => sent),
    ({ link }) => link,
  );
  for (const [link, messages] of links) {
    if (link === undefined) continue;
    for (const entity of messages[0]?.entities ?? []) {
      const sent = new Set(messages.map(({ id }) => id));
      const there = found.ordered(entity).filter((id) => sent.has(id));
      const wanted = [...sent].filter((id) => found.has(entity, id));
      const wrong = there.findIndex((id, index) => id !== wanted[index]);
      if (wrong >= 0)
        throw new Error(`${there[wrong]} is in ${entity} where ${wanted[wrong]} should be, of the link ${link}.`);
    }
  }
}
