import { Client } from "pg";
import { PostgresServer } from "../../external/postgres-server.support.ts";
import { type Figure, median } from "../harness.ts";
import { type Contender, rateOf } from "./contender.ts";
import { ours } from "./ours.ts";

/** Seconds for which the transaction is open: `HELD_SECONDS=300` for the promise. */
const seconds = Number(process.env["HELD_SECONDS"] ?? 60);
const messages = 4000;
/** The share of the time that is measured, at its end. */
const measured = 0.2;

/** Two servers take turns, one of which has had an idle REPEATABLE READ transaction open all the time. */
export async function heldTransaction(): Promise<readonly Figure[]> {
  const settings = ["max_connections=50", "shared_buffers=256MB"];
  await using free = await PostgresServer.create(18, settings);
  await using held = await PostgresServer.create(18, settings);
  const contenders: readonly [Contender, Contender] = [
    await ours(free.connectionString),
    await ours(held.connectionString),
  ];
  for (const contender of contenders) await contender.run(messages);
  const old = new Client({ connectionString: held.connectionString });
  await old.connect();
  await old.query("begin isolation level repeatable read");
  await old.query("select count(*) from ours.delivery");
  const ratios: number[] = [];
  const begun = performance.now();
  const elapsed = (): number => (performance.now() - begun) / 1000;
  while (elapsed() < seconds) {
    const [without, within] = [await rateOf(contenders[0], messages), await rateOf(contenders[1], messages)];
    if (elapsed() > seconds * (1 - measured)) ratios.push(within / without);
  }
  const { rows } = await old.query<{ readonly dead: string }>(
    "select sum(n_dead_tup) as dead from pg_stat_user_tables where schemaname = 'ours'",
  );
  console.log(`  after ${seconds} s of an open transaction, ${rows[0]?.dead ?? "no"} dead rows`);
  await old.end();
  for (const contender of contenders) await contender.close();
  return [
    {
      name: `rate after ${seconds} s of an open transaction, of that without`,
      measured: median(ratios),
      bound: "least",
      target: 0.95,
      floor: 0.8,
      unit: "×",
    },
  ];
}
