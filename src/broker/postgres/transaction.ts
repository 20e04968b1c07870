import type { LockToken } from "../../core/engine/delivery.ts";
import { maxTransactionAge, type OpenTransaction } from "../policy/broker-verbs.ts";
import { transactionOver } from "../policy/refusals.ts";
import { Arrivals } from "./arrivals.ts";
import type { DatabaseSession } from "./database.ts";
import { type Enlisted, type PendingSend, type PendingSettlement, Turns } from "./enlisted.ts";
import type { Home } from "./home.ts";
import { giveNumbers } from "./place.ts";
import type { Routing } from "./routing.ts";

/** Operations that are applied together or not at all: they are buffered here and applied in one database transaction. */
export class PostgresTransaction implements OpenTransaction, Enlisted {
  readonly #home: Home;
  readonly #onEnd: (transaction: PostgresTransaction) => void;
  readonly #endsAt: number;
  readonly #sends: PendingSend[] = [];
  readonly #settlements: PendingSettlement[] = [];
  /** Once it is `ending`, it takes no more calls and waits for those that were made before. */
  #state: "open" | "ending" | "over" = "open";
  readonly #turns = new Turns();

  constructor(home: Home, onEnd: (transaction: PostgresTransaction) => void) {
    this.#home = home;
    this.#onEnd = onEnd;
    this.#endsAt = home.store.now() + maxTransactionAge;
  }

  /** Whether it still accepts calls. */
  get isOpen(): boolean {
    return !this.#isOver && this.#state === "open";
  }

  inTurn<T>(call: () => Promise<T>): Promise<T> {
    return this.#turns.take(call);
  }

  async addSend(send: PendingSend): Promise<readonly bigint[]> {
    const { store } = this.#home;
    const { database, schema } = store;
    await send.check(store.routing(), 0);
    const numbers = await giveNumbers(database, schema, send.passed);
    this.#checkNotOver();
    this.#sends.push({ ...send, route: (routing) => send.route(routing, numbers) });
    return numbers;
  }

  async addSettlement(settlement: PendingSettlement): Promise<void> {
    const { store } = this.#home;
    const { database: session, schema } = store;
    await settlement.check({ session, schema, queue: settlement.queue, now: store.now() });
    this.#checkNotOver();
    this.#settlements.push(settlement);
  }

  /** Whether it contains a settlement of this token's message. */
  settles(token: LockToken): boolean {
    return !this.#isOver && this.#settlements.some((settlement) => settlement.token === token);
  }

  async commit(): Promise<void> {
    await this.#callsEnded();
    try {
      await this.#home.catchUp();
    } catch (error) {
      this.undo();
      throw error;
    }
    this.#checkNotOver();
    this.#end();
    const { store } = this.#home;
    const arrivals = new Arrivals();
    for (const { queue } of this.#settlements) arrivals.add(queue.number);
    await store.change((session) => this.#apply(session, arrivals));
    store.onArrival(arrivals);
  }

  async rollback(): Promise<void> {
    await this.#callsEnded();
    this.undo();
  }

  /** Rolls back unless it is over. */
  undo(): void {
    if (this.#state !== "over") this.#end();
  }

  async #callsEnded(): Promise<void> {
    if (!this.isOpen) throw transactionOver();
    this.#state = "ending";
    await this.#turns.ended();
  }

  async #checkRoom(routing: Routing): Promise<void> {
    const reserved = new Map<number, number>();
    for (const { entity, check } of this.#sends) {
      const before = reserved.get(entity) ?? 0;
      reserved.set(entity, before + (await check(routing, before)));
    }
  }

  async #apply(session: DatabaseSession, arrivals: Arrivals): Promise<void> {
    const { store } = this.#home;
    const now = store.now();
    const routing = store.routing(session);
    await this.#checkRoom(routing);
    for (const { queue, apply } of this.#settlements)
      await apply({ session, schema: store.schema, queue: store.current(queue), routing, now });
    for (const { route } of this.#sends) await route(routing, []);
    await store.finish(session, routing, arrivals);
  }

  #end(): void {
    this.#state = "over";
    this.#onEnd(this);
  }

  get #isOver(): boolean {
    if (this.#home.store.now() >= this.#endsAt) this.undo();
    return this.#state === "over";
  }

  #checkNotOver(): void {
    if (this.#isOver) throw transactionOver();
  }
}
