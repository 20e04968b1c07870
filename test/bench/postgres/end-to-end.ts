import { PostgresServer } from "../../external/postgres-server.support.ts";
import { type Figure, median } from "../harness.ts";
import { bare } from "./bare.ts";
import { type Contender, rateOf } from "./contender.ts";
import { ours } from "./ours.ts";
import { graphileWorker, installOthers, pgBoss } from "./others.ts";

const rounds = 5;
/** Rounds before, in which what is run is compiled. */
const unmeasured = 2;
const messages = 6000;
/** Of a contender that takes one job at a time. */
const fewMessages = 300;

/** Some pools of others have no listener for the end of the server. */
function unlessServerEnded(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "57P01")) throw error;
}

/** Send, receive and complete, against a bare script and other queues on the same server, in turns. */
export async function endToEnd(): Promise<readonly Figure[]> {
  await installOthers();
  process.on("uncaughtException", unlessServerEnded);
  await using server = await PostgresServer.create(18, ["max_connections=100", "shared_buffers=256MB"]);
  const { connectionString } = server;
  const own = await ours(connectionString);
  const contenders: readonly Contender[] = [
    own,
    await bare(connectionString, "ours"),
    await pgBoss(connectionString),
    await graphileWorker(connectionString, "tuned"),
    await graphileWorker(connectionString, "defaults"),
  ];
  for (const { name, configuration } of contenders) console.log(`  ${name}: ${configuration}`);
  const rates = contenders.map((): number[] => []);
  for (let round = -unmeasured; round < rounds; round++)
    for (const [index, contender] of contenders.entries()) {
      const rate = await rateOf(contender, index === contenders.length - 1 ? fewMessages : messages);
      if (round >= 0) rates[index]?.push(rate);
    }
  for (const [index, { name }] of contenders.entries())
    console.log(`  ${name}: ${median(rates[index] ?? []).toFixed(0)} messages a second`);
  for (const contender of contenders) await contender.close();
  const against = (index: number): number =>
    median((rates[0] ?? []).map((rate, round) => rate / (rates[index]?.[round] ?? Number.NaN)));
  const figure = (name: string, index: number, target: number): Figure => ({
    name: `end to end against ${name}`,
    measured: against(index),
    bound: "least",
    target,
    floor: target * 0.7,
    unit: "×",
  });
  return [
    figure("a bare script", 1, 0.7),
    figure("pg-boss 12", 2, 1.7),
    figure("graphile-worker 0.18, tuned", 3, 1),
    figure("graphile-worker 0.18, defaults", 4, 5),
  ];
}
