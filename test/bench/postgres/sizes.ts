import { Client } from "pg";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { PostgresServer } from "../../external/postgres-server.support.ts";
import { type Figure, median } from "../harness.ts";
import { payload } from "./contender.ts";
import { openEngine } from "./ours.ts";

const rounds = 9;
const claims = 10;

/** Rates of a short and a long queue, and of few and many sessions, in turns. */
export async function sizes(): Promise<readonly Figure[]> {
  await using server = await PostgresServer.create(18, [
    "max_connections=50",
    "shared_buffers=512MB",
    "max_wal_size=4GB",
  ]);
  return [await backlog(server.connectionString), await sessions(server.connectionString)];
}

async function backlog(connectionString: string): Promise<Figure> {
  const short = await openEngine(connectionString, "few");
  const long = await openEngine(connectionString, "many");
  await fill(connectionString, short, "few", 10_000);
  await fill(connectionString, long, "many", 1_000_000);
  const receivers = await Promise.all(
    [short, long].map((engine) => engine.openReceiver("q", { receiveMode: "peekLock" })),
  );
  const ratios: number[] = [];
  for (let round = -2; round < rounds; round++) {
    const times: number[] = [];
    for (const receiver of receivers) {
      const begun = performance.now();
      for (let claim = 0; claim < claims; claim++) {
        const { length } = await receiver.receive({ maxMessages: 50, maxWaitTimeInMs: 0 });
        if (length !== 50) throw new Error(`Only ${length} messages were claimed.`);
      }
      times.push(performance.now() - begun);
    }
    const [few = Number.NaN, many = Number.NaN] = times;
    if (round >= 0) ratios.push(few / many);
  }
  await short.close();
  await long.close();
  return {
    name: "claim rate with 1,000,000 messages queued, of that with 10,000",
    measured: median(ratios),
    bound: "least",
    target: 0.9,
    floor: 0.6,
    unit: "×",
  };
}

/** Multiplies one message in the tables: sending as many would take minutes. */
async function fill(connectionString: string, engine: Engine, schema: string, count: number): Promise<void> {
  const sender = await engine.openSender("q");
  await sender.send([createEnvelope({ payload })]);
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ readonly queue: string }>(`select queue from ${schema}.delivery`);
  const numbers = `${schema}.numbers_${rows[0]?.queue}`;
  await client.query(
    `insert into ${schema}.body (queue, seq, number, enqueued_number, enqueued_at, message)
     select queue, i, i, i, enqueued_at, message from ${schema}.body, generate_series(seq + 1, seq + $1) as i`,
    [count - 1],
  );
  await client.query(
    `insert into ${schema}.delivery (queue, seq, count, size, state)
     select queue, i, 0, size, 0 from ${schema}.delivery, generate_series(seq + 1, seq + $1) as i`,
    [count - 1],
  );
  await client.query(`select setval('${numbers}', last_value + $1) from ${numbers}`, [count - 1]);
  await client.query("checkpoint");
  await client.end();
}

async function sessions(connectionString: string): Promise<Figure> {
  const engines: Engine[] = [];
  for (const [schema, count] of [
    ["hundred", 100],
    ["thousands", 10_000],
  ] as const) {
    const engine = await openEngine(connectionString, schema);
    await engine.admin.createQueue("carts", { requiresSession: true, maxSizeInMegabytes: 1_000_000 });
    const sender = await engine.openSender("carts");
    for (let first = 0; first < count; first += 100)
      await sender.send(
        Array.from({ length: 100 }, (_, index) =>
          createEnvelope({ payload, brokerProperties: { sessionId: `cart-${first + index}` } }),
        ),
      );
    engines.push(engine);
  }
  const times = engines.map((): number[] => []);
  const options = { receiveMode: "peekLock", sessionId: undefined, maxWaitTimeInMs: 0 } as const;
  for (let round = -10; round < 200; round++)
    for (const [index, engine] of engines.entries()) {
      const begun = performance.now();
      const session = await engine.acceptSession("carts", options);
      if (round >= 0) times[index]?.push(performance.now() - begun);
      await session.close();
    }
  for (const engine of engines) await engine.close();
  return {
    name: "accept-next with 10,000 sessions, of the time with 100",
    measured: median(times[1] ?? []) / median(times[0] ?? []),
    bound: "most",
    target: 2,
    floor: 3,
    unit: "×",
  };
}
