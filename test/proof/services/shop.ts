import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { kill, startProgram } from "./program.ts";

/** The services of the example, which are also the names of their queues. */
export const services = ["orders", "payments", "shipping"] as const;
export type Service = (typeof services)[number];

/** Milliseconds that the shop may take after the last kill. */
const patience = 120_000;

/** The services, each in a process and with its own database. */
export class Shop {
  killed = 0;
  readonly #folder: string;
  readonly #connectionString: string;
  readonly #running = new Map<Service, ChildProcess>();
  readonly #restarting = new Set<Promise<void>>();
  #closed = false;

  constructor(folder: string, connectionString: string) {
    this.#folder = folder;
    this.#connectionString = connectionString;
  }

  start(name: Service): void {
    const args = ["examples/shop/run-service.ts", name, this.#file(name)];
    const env = { SERVICEBUS_CONNECTION_STRING: this.#connectionString };
    this.#running.set(name, startProgram(args, ["ignore", "ignore", "ignore"], env));
  }

  /** Kills a service without a word, and starts it again a moment later. */
  restart(name: Service, pause: number): void {
    const child = this.#running.get(name);
    if (child === undefined) return;
    this.#running.delete(name);
    this.killed++;
    const restarting = (async (): Promise<void> => {
      await kill(child);
      await wait(pause);
      if (!this.#closed) this.start(name);
    })();
    this.#restarting.add(restarting);
    void restarting.finally(() => this.#restarting.delete(restarting));
  }

  /** Resolves when every order has passed every service once. @throws Error when one did not in time, or did twice. */
  async settled(orders: number): Promise<void> {
    await Promise.all(this.#restarting);
    const tables = { orders: "accepted", payments: "paid", shipping: "shipped" } as const;
    for (let waited = 0; ; waited += 250) {
      const counts = services.map((name) => this.#count(name, tables[name]));
      for (const { rows, distinct } of counts)
        if (rows !== distinct) throw new Error(`${rows - distinct} orders were handled twice.`);
      if (counts.every(({ distinct }) => distinct === orders)) return;
      const ended = [...this.#running].filter(([, child]) => child.exitCode !== null).map(([name]) => name);
      if (ended.length > 0) throw new Error(`The services ${ended.join(", ")} have ended by themselves.`);
      if (waited > patience)
        throw new Error(`Of ${orders} orders, ${counts.map(({ distinct }) => distinct).join(", ")} passed.`);
      await wait(250);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#restarting);
    await Promise.all(Array.from(this.#running.values(), kill));
  }

  #count(name: Service, table: string): { readonly rows: number; readonly distinct: number } {
    const database = new DatabaseSync(this.#file(name));
    try {
      database.exec("PRAGMA busy_timeout = 10000");
      const counted = database
        .prepare(`SELECT count(*) AS "rows", count(DISTINCT order_id) AS "distinct" FROM ${table}`)
        .get();
      return { rows: Number(counted?.["rows"]), distinct: Number(counted?.["distinct"]) };
    } catch {
      // The service has not made its tables yet.
      return { rows: 0, distinct: 0 };
    } finally {
      database.close();
    }
  }

  #file(name: Service): string {
    return join(this.#folder, `${name}.db`);
  }
}
