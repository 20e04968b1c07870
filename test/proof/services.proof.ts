import { messageProperties } from "../../src/core/message/message-properties.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { json } from "../../codecs/json/index.ts";
import type { Client, Sender } from "../../src/client/client/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { createClient } from "../../src/client/create-client.ts";
import { type Random, seeded } from "../random.support.ts";
import { installPostgres } from "../external/installed.support.ts";
import { PostgresServer } from "../external/postgres-server.support.ts";
import type { ProofRun } from "./proof-run.ts";
import { Broker, type BrokerPlace } from "./services/broker.ts";
import { services, Shop } from "./services/shop.ts";

/** The marks of the example's `OrderPlaced`; the services have the library by its name, and this process by its files. */
const applicationProperties = { [messageProperties.type]: "shop.order-placed", [messageProperties.version]: 1 };

/** A database whose processes may be killed, on a machine that stays on. */
const processesDie = ["fsync=off", "full_page_writes=off"] as const;

/**
 * Kills the three services of the example again and again, in their own processes, often several at a time; then the
 * broker as well, on the durable engine and on PostgreSQL, whose own server is killed at times. In the end every order
 * is accepted, paid and shipped exactly once, and nothing is dead-lettered.
 *
 * @throws Error when one is not; where PostgreSQL cannot be installed, it says so and leaves that part out.
 */
export async function prove({ seed, full }: ProofRun): Promise<string> {
  const random = seeded(seed);
  const folder = mkdtempSync(join(tmpdir(), "sobre-services-"));
  const told: string[] = [];
  try {
    const memory = new Trial(folder, { kind: "memory" }, random);
    told.push(await memory.run(full ? 100 : 20, async () => {}));
    const durable = new Trial(folder, { kind: "durable", place: join(folder, "broker") }, random);
    told.push(await durable.run(full ? 100 : 10, (broker) => broker.restart()));
    told.push(await onPostgres(folder, random, full ? 100 : 10));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return told.join("; ");
}

async function onPostgres(folder: string, random: Random, kills: number): Promise<string> {
  try {
    await installPostgres();
  } catch {
    return "postgres: left out, since PostgreSQL cannot be installed here";
  }
  await using server = await PostgresServer.create(18, processesDie);
  const trial = new Trial(folder, { kind: "postgres", place: server.connectionString }, random);
  let databases = 0;
  const told = await trial.run(kills, async (broker) => {
    const isDatabase = random.chance(0.2);
    if (isDatabase) {
      databases++;
      await server.kill();
    }
    const restarted = broker.restart();
    if (isDatabase) await server.start();
    await restarted;
  });
  return `${told}, with ${databases} kills of the database's server`;
}

/** One broker, the shop, and its customers. */
class Trial {
  readonly #folder: string;
  readonly #place: BrokerPlace;
  readonly #random: Random;
  #orders = 0;

  constructor(folder: string, place: BrokerPlace, random: Random) {
    this.#folder = mkdtempSync(join(folder, `${place.kind}-`));
    this.#place = place;
    this.#random = random;
  }

  /** Kills services in each round, and whatever `alsoKill` does. */
  async run(rounds: number, alsoKill: (broker: Broker) => Promise<void>): Promise<string> {
    const broker = await Broker.start(this.#place);
    const shop = new Shop(this.#folder, broker.connectionString);
    const client = createClient({
      connectionString: broker.connectionString,
      serializer: createSerializer({ codecs: [json()] }),
    });
    try {
      for (const name of services) shop.start(name);
      const sender = client.createSender("orders");
      for (let round = 0; round < rounds; round++) {
        const placing = this.#placeOrders(sender);
        await wait(200 + this.#random.integer(500));
        const victims = new Set([this.#random.pick(services), this.#random.pick(services)]);
        for (const victim of victims) shop.restart(victim, this.#random.integer(300));
        await alsoKill(broker);
        await placing;
      }
      await shop.settled(this.#orders);
      await checkDeadLetters(client);
      const brokers = broker.killed === 0 ? "" : ` and ${broker.killed} of the broker`;
      return `${this.#place.kind}: ${shop.killed} kills of three services${brokers}: ${this.#orders} orders, placed twice each, shipped exactly once`;
    } finally {
      await shop.close();
      await client.close({ timeoutInMs: 1_000 });
      await broker.close();
    }
  }

  /** Five orders, each placed twice, as by an impatient customer, until the broker has accepted them. */
  async #placeOrders(sender: Sender): Promise<void> {
    for (let order = 0; order < 5; order++) {
      const messageId = `order-${this.#orders++}`;
      const body = { orderId: messageId, cents: 1 + this.#random.integer(10_000) };
      const message = { body, messageId, applicationProperties };
      await persistently(() => sender.sendMessages([message, message]));
    }
  }
}

/** Repeats a send that failed because the broker is away. */
async function persistently(send: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (tries === 100) throw error;
      await wait(100);
    }
  }
}

async function checkDeadLetters(client: Client): Promise<void> {
  for (const queue of services) {
    const [letter] = await client.createReceiver(queue, { subQueueType: "deadLetter" }).peekMessages(1);
    if (letter) throw new Error(`A message was dead-lettered: ${letter.deadLetterReason}.`);
  }
}
