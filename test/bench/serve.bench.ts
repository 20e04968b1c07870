import { type Figure, median } from "./harness.ts";
import { buildPackage } from "./serve/built-package.ts";
import { Crowd } from "./serve/crowd.ts";
import { inspectorMounted } from "./serve/inspector-mounted.ts";
import { latencies, type Percentiles } from "./serve/latency.ts";
import { Load } from "./serve/load.ts";
import { type Peer, startPeer } from "./serve/peer.ts";
import { startRabbitmq } from "./serve/rabbitmq.ts";
import { starting } from "./serve/start-time.ts";

const messages = 30_000;
/** Of RabbitMQ, which takes ten times as long as the others. */
const fewMessages = 6000;
const rounds = 14;
/** Rounds before those that count: compilers are at work in them. */
const warmUp = 4;

/** Microseconds of the clock and of the server's processor per message. */
interface Round {
  readonly time: number;
  readonly cpu: number;
}

/**
 * The cost of serving, side by side with a minimal broker made of rhea, and with RabbitMQ where it is installed.
 *
 * Every load has the shape of the official client, except rhea's, which stalls on it, and a second one of ours.
 */
export async function bench(): Promise<readonly Figure[]> {
  const built = buildPackage();
  const start = await starting(built);
  return [
    await latency(built),
    ...(await throughput(built)),
    await inspectorMounted(built),
    ...(await crowds(built)),
    ms("from the start of `sobre serve` to its first answer", start.time, { target: 150, floor: 400 }),
    {
      name: "idle memory of `sobre serve`",
      measured: start.memory / 2 ** 20,
      bound: "most",
      target: 80,
      floor: 100,
      unit: " MB",
    },
  ];
}

async function throughput(built: string): Promise<readonly Figure[]> {
  const ours = await startPeer("sobre", built);
  const compact: Peer = { ...ours, frames: "compact frames", load: new Load(ours.port, "compact", "compact") };
  const rhea = await startPeer("rhea");
  const rabbitmq = await startRabbitmq();
  if (rabbitmq === undefined) console.log("  RabbitMQ is not installed: nothing is compared with it.");
  const peers = [ours, compact, rhea, ...(rabbitmq === undefined ? [] : [rabbitmq])];
  const measured = new Map(peers.map((peer): [Peer, Round[]] => [peer, []]));
  for (let round = -warmUp; round < rounds; round++) {
    // The two shapes take turns at being measured right after the other brokers, which leave cold caches behind.
    const inTurn = round % 2 === 0 ? [ours, compact] : [compact, ours];
    for (const peer of [...inTurn, ...peers.slice(inTurn.length)]) {
      const told = measured.get(peer);
      const one = await measure(peer, peer === rabbitmq ? fewMessages : messages);
      if (round >= 0) told?.push(one);
    }
  }
  for (const [{ name, frames }, told] of measured) {
    const [time, cpu] = [median(told.map((one) => one.time)), median(told.map((one) => one.cpu))];
    console.log(`  ${name}, ${frames}: ${time.toFixed(1)} µs a message, ${cpu.toFixed(1)} µs of its processor time`);
  }
  for (const peer of peers) peer.load.close();
  for (const peer of peers) if (peer !== compact) await peer.close();
  const own = measured.get(ours) ?? [];
  return [
    officialShape(own, measured.get(compact) ?? []),
    ...against("a minimal rhea broker", own, measured.get(rhea) ?? [], { times: 4, share: 1 / 3 }),
    ...(rabbitmq === undefined
      ? []
      : against("RabbitMQ's AMQP 1.0", own, measured.get(rabbitmq) ?? [], { times: 6, share: 1 / 6 })),
  ];
}

/** Frames as `@azure/service-bus` writes them, compared with the fewest bytes that say the same. */
function officialShape(official: readonly Round[], compact: readonly Round[]): Figure {
  return {
    name: "server CPU per message, official shape against compact",
    measured: median(official.map(({ cpu }, round) => cpu / (compact[round]?.cpu ?? Number.NaN))),
    bound: "most",
    target: 1.2,
    floor: 1.35,
    unit: "×",
  };
}

async function measure(peer: Peer, count: number): Promise<Round> {
  const before = await peer.cpu();
  const time = await peer.load.run(count);
  return { time: (time * 1000) / count, cpu: ((await peer.cpu()) - before) / count };
}

/** The best run is what the server takes, and the others what the machine took besides, as the relay next to it shows. */
async function latency(built: string): Promise<Figure> {
  const [ours, relay] = await latencies(built);
  for (const { name, runs } of [ours, relay]) {
    const middle = runs[runs.length >> 1];
    const [best] = runs;
    if (best === undefined || middle === undefined) continue;
    console.log(`  ${name} at 2,000 messages a second: ${shown(best)} at best; ${shown(middle)} as a rule`);
  }
  return ms("p99 from sending to receiving at 2,000 messages a second", ours.runs[0]?.p99 ?? Number.NaN, {
    target: 0.5,
    floor: 5,
  });
}

const shown = ({ p50, p99, p999 }: Percentiles): string =>
  `p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, p99.9 ${p999.toFixed(2)} ms`;

function against(
  whom: string,
  own: readonly Round[],
  other: readonly Round[],
  asked: { readonly times: number; readonly share: number },
): readonly Figure[] {
  const ratio = (of: (round: number) => number): number => median(own.map((_, round) => of(round)));
  const { times, share } = asked;
  return [
    {
      name: `throughput against ${whom}`,
      measured: ratio((round) => (other[round]?.time ?? Number.NaN) / (own[round]?.time ?? Number.NaN)),
      bound: "least",
      target: times,
      floor: times / 2,
      unit: "×",
    },
    {
      name: `server CPU per message against ${whom}`,
      measured: ratio((round) => (own[round]?.cpu ?? Number.NaN) / (other[round]?.cpu ?? Number.NaN)),
      bound: "most",
      target: share,
      floor: share * 1.5,
      unit: "×",
    },
  ];
}

/** The cost of being connected without doing anything. */
async function crowds(built: string): Promise<readonly Figure[]> {
  const server = await startPeer("sobre", built);
  const idle = await settledMemory(server);
  const crowd = new Crowd();
  await crowd.connections(server.port, 1000);
  const crowded = (await settledMemory(server)) - idle;
  await crowd.sessionReceivers(server.port, 10_000);
  await settledMemory(server);
  const seconds = 3;
  const before = await server.cpu();
  await later(seconds * 1000);
  const waiting = ((await server.cpu()) - before) / (seconds * 1e6);
  crowd.leave();
  server.load.close();
  await server.close();
  return [
    {
      name: "1,000 connections with a link each, above idle",
      measured: crowded / 2 ** 20,
      bound: "most",
      target: 150,
      floor: 200,
      unit: " MB",
    },
    {
      name: "processor share of 10,000 receivers that wait for sessions",
      measured: waiting * 100,
      bound: "most",
      target: 1,
      floor: 5,
      unit: " %",
    },
  ];
}

/** Resident bytes after a moment without work. */
async function settledMemory(server: Peer): Promise<number> {
  await later(1000);
  return server.memory();
}

const later = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

function ms(name: string, measured: number, limits: Pick<Figure, "target" | "floor">): Figure {
  return { name, measured, bound: "most", ...limits, unit: " ms" };
}
