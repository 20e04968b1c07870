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

/** Messages of 1 KiB sent, received and settled through a durable server, and a durable queue of RabbitMQ with confirms. */
export async function besideRabbitmq(directory: string): Promise<readonly Figure[]> {
  const rabbitmq = await startRabbitmq("persistent");
  if (rabbitmq === undefined) {
    console.log("  RabbitMQ is not installed: nothing is compared with it.");
    return [];
  }
  console.log(`  ${rabbitmq.configuration}; ours: sobre serve with a directory on the same disk, one queue`);
  const server = await startServerProcess("sobre", buildPackage(), join(directory, "served"));
  const load = new Load(server.port, "persistent");
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = -2; round < rounds; round++) {
    const [own, other] = [(await load.run(messages)) / messages, (await rabbitmq.load.run(fewMessages)) / fewMessages];
    if (round < 0) continue;
    ours.push(own * 1000);
    theirs.push(other * 1000);
  }
  load.close();
  rabbitmq.load.close();
  await Promise.all([server.close(), rabbitmq.close()]);
  console.log(`  served: ${median(ours).toFixed(1)} µs a message, RabbitMQ ${median(theirs).toFixed(1)}`);
  return [
    {
      name: "throughput of a durable server against a durable queue of RabbitMQ",
      measured: median(ours.map((own, round) => (theirs[round] ?? Number.NaN) / own)),
      bound: "least",
      target: 2,
      floor: 1,
      unit: "×",
    },
  ];
}
