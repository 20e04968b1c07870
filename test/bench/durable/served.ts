import { join } from "node:path";
import { type Figure, median } from "../harness.ts";
import { buildPackage } from "../serve/built-package.ts";
import { Load } from "../serve/load.ts";
import { startRabbitmq } from "../serve/rabbitmq.ts";
import { startServerProcess } from "../serve/server-process.ts";

const messages = 20_000;
/** Of RabbitMQ, which takes longer. */
const fewMessages = 6000;
const rounds = 5;

/** The load on one server. */
interface Runner {
  readonly name: string;
  readonly load: Load;
  /** Messages of a round. */
  readonly count: number;
  /** Microseconds a message, of each round. */
  readonly times: number[];
}

/** Messages of 1 KiB sent, received and settled through a durable server, and durable queues of RabbitMQ with confirms. */
export async function besideRabbitmq(directory: string): Promise<readonly Figure[]> {
  const rabbitmq = await startRabbitmq("persistent");
  if (rabbitmq === undefined) {
    console.log("  RabbitMQ is not installed: nothing is compared with it.");
    return [];
  }
  console.log(`  ${rabbitmq.configuration}; ours: sobre serve with a directory on the same disk, one queue`);
  const server = await startServerProcess("sobre", buildPackage(), join(directory, "served"));
  const runners = [
    runner("a durable server", new Load(server.port, "persistent"), messages),
    runner("a classic queue of RabbitMQ", rabbitmq.load, fewMessages),
    runner("a quorum queue of RabbitMQ", rabbitmq.quorum(), fewMessages),
  ] as const;
  for (let round = -2; round < rounds; round++) {
    for (const { load, count, times } of runners) {
      const time = (await load.run(count)) / count;
      if (round >= 0) times.push(time * 1000);
    }
  }
  for (const { load } of runners) load.close();
  await Promise.all([server.close(), rabbitmq.close()]);
  for (const { name, times } of runners) console.log(`  ${name}: ${median(times).toFixed(1)} µs a message`);
  const [own, ...others] = runners;
  return others.map(({ name, times }) => ({
    name: `throughput of a durable server against ${name}`,
    measured: median(own.times.map((time, round) => (times[round] ?? Number.NaN) / time)),
    bound: "least",
    target: 2,
    floor: 1,
    unit: "×",
  }));
}

const runner = (name: string, load: Load, count: number): Runner => ({ name, load, count, times: [] });
