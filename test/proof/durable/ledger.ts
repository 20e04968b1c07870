import type { Delivery } from "../../../src/core/engine/delivery.ts";

type Fate = "sending" | "sent" | "completing" | "gone";

/** Knows from the lines of a load which messages an engine has after a restart. */
export class Ledger {
  readonly #fates = new Map<string, Fate>();
  /** The message that each sequence number was given to, by queue. */
  readonly #numbers = new Map<string, string>();
  /** Moves that have begun: what goes, and what comes, together. */
  #moves: (readonly [gone: string, come: string])[] = [];
  readonly #states = new Map<string, Set<string>>();
  readonly #lastOfSession = new Map<string, number>();
  /** Messages that a receive-and-delete may have taken unseen. */
  #takes = 0;
  acknowledged = 0;

  /** Reads one line of the load. */
  add(line: string): void {
    const [kind, when, ...rest] = line.split(" ");
    const [first = "", second = "", third = ""] = rest;
    if (when === "done") this.acknowledged++;
    const key = `${first} ${second}`;
    switch (kind) {
      case "send":
        this.#fates.set(
          key,
          when === "done" && this.#fates.get(key) !== "gone" ? "sent" : (this.#fates.get(key) ?? "sending"),
        );
        return;
      case "complete":
        this.#fates.set(key, when === "done" ? "gone" : "completing");
        if (when === "done" && first === "ordered") this.#inOrder(second);
        return;
      case "delivered":
        this.#number(first, second, third);
        if (this.#fates.get(key) === "gone") throw new Error(`${second} came back after its completion.`);
        return;
      case "take":
        if (when === "begun") {
          this.#takes++;
          return;
        }
        this.#number(first, second, third);
        if (this.#fates.get(key) === "gone") throw new Error(`${second} came back after it was taken.`);
        this.#fates.set(key, "gone");
        return;
      case "move":
        if (when === "begun") {
          this.#moves.push([`${first} ${second}`, `${first} ${third}`]);
          return;
        }
        this.#moves = this.#moves.filter(([gone]) => gone !== key);
        this.#fates.set(key, "gone");
        if (this.#fates.get(`${first} ${third}`) === undefined) this.#fates.set(`${first} ${third}`, "sent");
        return;
      case "state":
        if (when === "done") this.#states.set(first, new Set([second]));
        else this.#states.set(first, (this.#states.get(first) ?? new Set([""])).add(second));
        return;
      case "failed":
        throw new Error(`The load failed: ${line}`);
      default:
    }
  }

  /** Holds what the engine has after a restart to what was acknowledged before; what was open is decided by it. */
  check(queue: string, deliveries: readonly Delivery[]): void {
    const there = new Set<string>();
    for (const { envelope, sequenceNumber } of deliveries) {
      const id = String(envelope.brokerProperties.messageId);
      if (there.has(id)) throw new Error(`${id} is there twice.`);
      there.add(id);
      this.#number(queue, id, String(sequenceNumber));
      if (this.#fates.get(`${queue} ${id}`) === "gone") throw new Error(`${id} is back after it was gone.`);
    }
    for (const [gone, come] of this.#moves) {
      const [, goneId = ""] = gone.split(" ");
      const [of, comeId = ""] = come.split(" ");
      if (of !== queue || this.#fates.get(gone) === "gone") continue;
      // The message that came may have gone on, but never without the one that went.
      if (there.has(goneId) && there.has(comeId)) throw new Error(`${comeId} came, and ${goneId} did not go.`);
      if (!there.has(goneId)) this.#fates.set(gone, "gone");
    }
    let missing = 0;
    for (const [key, fate] of this.#fates) {
      const [of, id = ""] = key.split(" ");
      if (of !== queue || there.has(id)) continue;
      if (fate === "sent" && this.#takesMayHold(queue)) missing++;
      else if (fate === "sent") throw new Error(`${id} was acknowledged and is missing.`);
      this.#fates.set(key, "gone");
    }
    // A call that was taking messages when the process died may have had two each.
    if (missing > 2) throw new Error(`${missing} acknowledged messages are missing from ${queue}.`);
    for (const id of there) this.#fates.set(`${queue} ${id}`, "sent");
    if (queue === "plain") [this.#moves, this.#takes] = [[], 0];
  }

  /** Holds the state of a session to those that may be there. */
  checkState(session: string, state: string): void {
    const allowed = this.#states.get(session) ?? new Set([""]);
    if (!allowed.has(state))
      throw new Error(`The state of ${session} is ${state}; one of ${[...allowed].join(", ")} was due.`);
    this.#states.set(session, new Set([state]));
  }

  #takesMayHold(queue: string): boolean {
    return queue === "plain" && this.#takes > 0;
  }

  #number(queue: string, id: string, number: string): void {
    const key = `${queue} ${number}`;
    const before = this.#numbers.get(key);
    if (before !== undefined && before !== id)
      throw new Error(`#${number} of ${queue} was given to ${before} and to ${id}.`);
    this.#numbers.set(key, id);
  }

  /** Ids of a session rise in the order in which they were sent. */
  #inOrder(id: string): void {
    const [, cycle = "0", count = "0", session = ""] = id.split("-");
    const place = Number(cycle) * 1e9 + Number(count);
    if (place <= (this.#lastOfSession.get(session) ?? -1)) throw new Error(`${id} was completed out of order.`);
    this.#lastOfSession.set(session, place);
  }
}
