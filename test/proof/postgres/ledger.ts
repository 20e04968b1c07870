import type { Entry } from "./lines.ts";

/** The history of one message. */
interface Fate {
  queue: string;
  isAcknowledged: boolean;
  /** The acknowledged settlement that ended it. */
  end: { readonly kind: "complete" | "deadLetter"; readonly at: bigint } | undefined;
  /** Settlements that may have ended it, since their answers never came. */
  readonly open: { complete: number; deadLetter: number };
}

/** Counts of a load that held. */
export interface Tally {
  readonly acknowledged: number;
  readonly completed: number;
  readonly deadLettered: number;
  /** Messages whose last answer was lost with a connection, a process or the server. */
  readonly unanswered: number;
  readonly refused: number;
}

/** Holds what several processes saw, and what a namespace has in the end, to the message model. */
export class Ledger {
  readonly #fates = new Map<string, Fate>();
  readonly #lastOfSession = new Map<string, number>();
  /** The states that each session may have, and how many calls may have set them. */
  readonly #states = new Map<string, Map<string, number>>();
  #refused = 0;

  /** @throws an error that names the message, unless the entries of all processes agree with each other. */
  constructor(entries: readonly Entry[]) {
    for (const entry of entries.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))) this.#add(entry);
  }

  #add({ at, since, kind, when, queue, ids }: Entry): void {
    switch (kind) {
      case "send":
        if (queue !== "-") for (const id of ids) this.#sent(id, queue, when === "done");
        return;
      case "receive":
        for (const id of ids) {
          const { end } = this.#fateOf(id, queue);
          if (end !== undefined && end.at < since) throw new Error(`${id} was delivered after its settlement.`);
        }
        return;
      case "complete":
      case "deadLetter":
        for (const id of ids) this.#settled(kind, when, id, queue, at);
        return;
      case "state":
        this.#stateSet(queue, ids[0] ?? "", when);
        return;
      case "seen": {
        const [state = ""] = ids;
        const allowed = this.#statesOf(queue);
        if ((allowed.get(state) ?? 0) === 0)
          throw new Error(`${queue} had the state "${state}" instead of "${[...allowed.keys()].join('" or "')}".`);
        return;
      }
      case "failed":
        throw new Error(`A process failed: ${ids.join(" ")}`);
      default:
        kind satisfies never;
    }
  }

  #sent(id: string, queue: string, isAcknowledged: boolean): void {
    const fate = this.#fates.get(id);
    if (fate !== undefined) fate.isAcknowledged ||= isAcknowledged;
    else this.#fates.set(id, { queue, isAcknowledged, end: undefined, open: { complete: 0, deadLetter: 0 } });
  }

  #fateOf(id: string, queue: string): Fate {
    const fate = this.#fates.get(id);
    if (fate === undefined || fate.queue !== queue) throw new Error(`${id} was never sent to ${queue}.`);
    return fate;
  }

  #settled(kind: "complete" | "deadLetter", when: Entry["when"], id: string, queue: string, at: bigint): void {
    const fate = this.#fateOf(id, queue);
    fate.open[kind] += when === "begun" ? 1 : -1;
    if (when === "refused") this.#refused++;
    if (when !== "done") return;
    if (fate.end !== undefined) throw new Error(`${id} was settled twice.`);
    fate.end = { kind, at };
    const [session = "", life = "0", count] = id.split(":");
    if (count === undefined) return;
    const place = Number(life) * 1e7 + Number(count);
    if (place <= (this.#lastOfSession.get(session) ?? -1)) throw new Error(`${id} was settled out of order.`);
    this.#lastOfSession.set(session, place);
  }

  #stateSet(session: string, id: string, when: Entry["when"]): void {
    const states = this.#statesOf(session);
    if (when === "done") {
      states.clear();
      states.set(id, 1);
    } else states.set(id, (states.get(id) ?? 0) + (when === "begun" ? 1 : -1));
  }

  #statesOf(session: string): Map<string, number> {
    let states = this.#states.get(session);
    if (states === undefined) this.#states.set(session, (states = new Map([["", 1]])));
    return states;
  }

  /**
   * Holds the dead letters, once the queues are empty, to what was acknowledged.
   *
   * @throws an error that names the first message that is lost, or there without a cause.
   */
  reconcile(dead: ReadonlyMap<string, readonly string[]>): Tally {
    const there = new Set<string>();
    for (const [queue, ids] of dead)
      for (const id of ids) {
        if (there.has(id)) throw new Error(`${id} is in the dead-letter queue twice.`);
        there.add(id);
        const { end, open } = this.#fateOf(id, queue);
        if (end?.kind === "complete") throw new Error(`${id} was completed, and is a dead letter.`);
        if (end === undefined && open.deadLetter === 0)
          throw new Error(`${id} is a dead letter, and nobody made it one.`);
      }
    const tally = { acknowledged: 0, completed: 0, deadLettered: there.size, unanswered: 0, refused: this.#refused };
    for (const [id, { isAcknowledged, end, open }] of this.#fates) {
      if (isAcknowledged) tally.acknowledged++;
      if (end?.kind === "complete") tally.completed++;
      if (end !== undefined && (end.kind === "complete" || there.has(id))) continue;
      if (end !== undefined) throw new Error(`${id} was dead-lettered, and is lost.`);
      if (there.has(id)) continue;
      if (isAcknowledged && open.complete === 0) throw new Error(`${id} was acknowledged, and is lost.`);
      if (isAcknowledged) tally.unanswered++;
    }
    return tally;
  }
}
