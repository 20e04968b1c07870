import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { json } from "../../codecs/json/index.ts";
import { createSerializer } from "../../src/codec/index.ts";
import { createClient } from "../../src/create-client.ts";
import { typeProperty, versionProperty } from "../../src/message/type-property.ts";
import { seeded } from "../random.support.ts";
import type { ProofRun } from "./proof-run.ts";

const names = ["orders", "payments", "shipping"] as const;
type Name = (typeof names)[number];

const root = fileURLToPath(new URL("../../", import.meta.url));
const node = [process.execPath, "--conditions=sobre-source", "--disable-warning=ExperimentalWarning"] as const;

/** The marks of the example's `OrderPlaced`; the services have the library by its name, and this process by its files. */
const applicationProperties = { [typeProperty]: "shop.order-placed", [versionProperty]: 1 };

/** Milliseconds that the shop may take after the last kill. */
const patience = 60_000;

/**
 * Kills the three services of the example again and again, in their own processes over one `sobre serve`, often several at
 * a time: in the end every order is accepted, paid and shipped exactly once, and nothing is dead-lettered.
 */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  const random = seeded(seed);
  const kills = full ? 100 : 40;
  const folder = mkdtempSync(join(tmpdir(), "sobre-services-"));
  const broker = await startBroker();
  const shop = new Shop(folder, broker.connectionString);
  const client = createClient({
    connectionString: broker.connectionString,
    serializer: createSerializer({ codecs: [json()] }),
  });
  try {
    for (const name of names) shop.start(name);
    const sender = client.createSender("orders");
    let orders = 0;
    for (let kill = 0; kill < kills; kill++) {
      // Every order is placed twice, as by an impatient customer.
      for (let order = 0; order < 5; order++) {
        const orderId = `order-${orders++}`;
        const message = {
          body: { orderId, cents: 1 + random.integer(10_000) },
          messageId: orderId,
          applicationProperties,
        };
        await sender.sendMessages([message, message]);
      }
      await wait(200 + random.integer(500));
      const victims = new Set([names[random.integer(3)] ?? "orders", names[random.integer(3)] ?? "orders"]);
      for (const victim of victims) shop.restart(victim, random.integer(300));
    }
    await shop.settled(orders);
    const letters = await Promise.all(
      names.map(async (queue) => client.createReceiver(queue, { subQueueType: "deadLetter" }).peekMessages(10)),
    );
    for (const [letter] of letters)
      if (letter) throw new Error(`A message was dead-lettered: ${letter.deadLetterReason}.`);
    return `${shop.killed} kills of three services: ${orders} orders, placed twice each, shipped exactly once`;
  } finally {
    await shop.close();
    await client.close();
    await broker.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The services, each in a process and with its own database. */
class Shop {
  killed = 0;
  readonly #folder: string;
  readonly #connectionString: string;
  readonly #running = new Map<Name, ChildProcess>();
  readonly #restarting = new Set<Promise<void>>();
  #closed = false;

  constructor(folder: string, connectionString: string) {
    this.#folder = folder;
    this.#connectionString = connectionString;
  }

  start(name: Name): void {
    const [command, ...options] = node;
    const child = spawn(command, [...options, "examples/shop/run-service.ts", name, this.#file(name)], {
      cwd: root,
      env: { ...process.env, SERVICEBUS_CONNECTION_STRING: this.#connectionString },
      stdio: ["ignore", "ignore", "ignore"],
    });
    this.#running.set(name, child);
  }

  /** Kills a service without a word, and starts it again a moment later. */
  restart(name: Name, pause: number): void {
    const child = this.#running.get(name);
    if (child === undefined) return;
    this.#running.delete(name);
    this.killed++;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    const restarting = (async (): Promise<void> => {
      await gone;
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
      const counts = names.map((name) => this.#count(name, tables[name]));
      for (const { rows, distinct } of counts)
        if (rows !== distinct) throw new Error(`${rows - distinct} orders were handled twice.`);
      if (counts.every(({ distinct }) => distinct === orders)) return;
      if (waited > patience)
        throw new Error(`Of ${orders} orders, ${counts.map(({ distinct }) => distinct).join(", ")} passed.`);
      await wait(250);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#restarting);
    await Promise.all(
      Array.from(this.#running.values(), async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        await gone;
      }),
    );
  }

  #count(name: Name, table: string): { readonly rows: number; readonly distinct: number } {
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

  #file(name: Name): string {
    return join(this.#folder, `${name}.db`);
  }
}

/** `sobre serve` with the shop's queues, in its own process. */
async function startBroker(): Promise<{ readonly connectionString: string; close(): Promise<void> }> {
  const [command, ...options] = node;
  const code = `
    import { startServer } from "./src/server/index.ts";
    import { queues } from "./examples/shop/messages.ts";
    const server = await startServer({ queues });
    process.on("disconnect", () => process.exit());
    process.send(server.connectionString);`;
  const child = spawn(command, [...options, "--input-type=module", "--eval", code], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [connectionString]: unknown[] = await once(child, "message");
  return {
    connectionString: String(connectionString),
    async close() {
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}
