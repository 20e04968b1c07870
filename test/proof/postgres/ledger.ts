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

interface SessionState {
  /** The states that it may have, and how many calls may have set them. */
  readonly allowed: Map<string, number>;
  /** When a call that set it was last acknowledged. */
  setAt: bigint;
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
  readonly #lastOfSession = new Map<string, { readonly place: number; readonly at: bigint }>();
  readonly #states = new Map<string, SessionState>();
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
        for (const id of ids) this.#settled(kind, when, id, { queue, at, since });
        return;
      case "state":
        this.#stateSet(queue, ids[0] ?? "", when, { at, since });
        return;
      case "seen": {
        const [state = ""] = ids;
        const { allowed } = this.#stateOf(queue);
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

  #settled(
    kind: "complete" | "deadLetter",
    when: Entry["when"],
    id: string,
    { queue, at, since }: Pick<Entry, "queue" | "at" | "since">,
  ): void {
    const fate = this.#fateOf(id, queue);
    fate.open[kind] += when === "begun" ? 1 : -1;
    if (when === "refused") this.#refused++;
    if (when !== "done") return;
    if (fate.end !== undefined) throw new Error(`${id} was settled twice.`);
    fate.end = { kind, at };
    const [session = "", life = "0", count] = id.split(":");
    if (count === undefined) return;
    const place = Number(life) * 1e7 + Number(count);
    const last = this.#lastOfSession.get(session);
    // Of calls that overlap, nobody can say which came first.
    if (last !== undefined && place <= last.place && last.at < since)
      throw new Error(`${id} was settled out of order.`);
    if (last === undefined || place > last.place) this.#lastOfSession.set(session, { place, at });
  }

  #stateSet(session: string, id: string, when: Entry["when"], { at, since }: Pick<Entry, "at" | "since">): void {
    const state = this.#stateOf(session);
    const { allowed, setAt } = state;
    if (when === "begun") allowed.set(id, (allowed.get(id) ?? 0) + 1);
    // Of calls that overlap, either may have been the last.
    else if (since <= setAt) return;
    else if (when === "refused") allowed.set(id, (allowed.get(id) ?? 0) - 1);
    else {
      allowed.clear();
      allowed.set(id, 1);
      state.setAt = at;
    }
  }

  #stateOf(session: string): SessionState {
    let state = this.#states.get(session);
    if (state === undefined) this.#states.set(session, (state = { allowed: new Map([["", 1]]), setAt: 0n }));
    return state;
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
