import type { Transaction } from "../../core/engine/engine.ts";
import type { LockToken } from "../../core/engine/delivery.ts";
import { invalidOperation } from "../../core/engine/refusals.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import { Arrivals } from "./arrivals.ts";
import type { Session } from "./database.ts";
import type { Enlisted, PendingSend, PendingSettlement } from "./enlisted.ts";
import type { Home } from "./home.ts";
import type { Intake } from "./intake.ts";
import { giveNumbers } from "./place.ts";

/** How long a transaction may stay open, in milliseconds. */
const maxAge = 120_000;

/** Operations that are applied together or not at all: they are buffered here and applied in one database transaction. */
export class PostgresTransaction implements Transaction, Enlisted {
  readonly #home: Home;
  readonly #onEnd: (transaction: PostgresTransaction) => void;
  readonly #endsAt: number;
  readonly #sends: PendingSend[] = [];
  readonly #settlements: PendingSettlement[] = [];
  /** Once it is `ending`, it takes no more calls and waits for those that were made before. */
  #state: "open" | "ending" | "over" = "open";
  /** The last call; never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(home: Home, onEnd: (transaction: PostgresTransaction) => void) {
    this.#home = home;
    this.#onEnd = onEnd;
    this.#endsAt = home.store.now() + maxAge;
  }

  /** Whether it still accepts calls. */
  get isOpen(): boolean {
    return !this.#isOver && this.#state === "open";
  }

  inTurn<T>(call: () => Promise<T>): Promise<T> {
    const result = this.#last.then(call);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async addSend(send: PendingSend): Promise<readonly bigint[]> {
    const { intake, database, schema } = this.#home.store;
    await send.check(intake, 0);
    const numbers = await giveNumbers(database, schema, send.passed);
    this.#checkNotOver();
    this.#sends.push({ ...send, route: (routing) => send.route(routing, numbers) });
    return numbers;
  }

  async addSettlement(settlement: PendingSettlement): Promise<void> {
    const { store } = this.#home;
    const { database: session, schema } = store;
    await settlement.check({ session, schema, lane: settlement.lane, now: store.now() });
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
      this.end();
      throw error;
    }
    this.#checkNotOver();
    this.#end();
    const { store } = this.#home;
    const arrivals = new Arrivals();
    for (const { lane } of this.#settlements) arrivals.add(lane.queue);
    await store.change((session) => this.#apply(session, arrivals));
    store.onArrival(arrivals);
  }

  async rollback(): Promise<void> {
    await this.#callsEnded();
    this.end();
  }

  /** Rolls back unless it is over. */
  end(): void {
    if (this.#state !== "over") this.#end();
  }

  async #callsEnded(): Promise<void> {
    if (!this.isOpen) throw ended();
    this.#state = "ending";
    await this.#last;
  }

  async #checkRoom(intake: Intake): Promise<void> {
    const reserved = new Map<number, number>();
    for (const { entity, check } of this.#sends) {
      const before = reserved.get(entity) ?? 0;
      reserved.set(entity, before + (await check(intake, before)));
    }
  }

  async #apply(session: Session, arrivals: Arrivals): Promise<void> {
    const { store } = this.#home;
    await this.#checkRoom(store.intake.within(session));
    const now = store.now();
    const routing = store.routing(session);
    for (const { lane, apply } of this.#settlements)
      await apply({ session, schema: store.schema, lane: store.current(lane), routing, now });
    for (const { route } of this.#sends) await route(routing, []);
    await store.finish(session, routing, arrivals);
  }

  #end(): void {
    this.#state = "over";
    this.#onEnd(this);
  }

  get #isOver(): boolean {
    if (this.#home.store.now() >= this.#endsAt) this.end();
    return this.#state === "over";
  }

  #checkNotOver(): void {
    if (this.#isOver) throw ended();
  }
}

const ended = (): SobreError =>
  invalidOperation(
    "The transaction has ended: it was committed, rolled back, or open for more than 2 minutes. Begin a new one.",
  );
