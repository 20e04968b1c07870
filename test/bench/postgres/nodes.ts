import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { PostgresServer } from "../../servers/postgres-server.support.ts";
import { ServeNode } from "../../servers/serve-node.support.ts";
import { type Figure, median } from "../harness.ts";
import { bare } from "./bare.ts";
import { ours } from "./ours.ts";
import { timeOfProcess, timeOfServer } from "./processor-time.ts";

const program = fileURLToPath(new URL("node-process.ts", import.meta.url));
const milliseconds = 3000;
const rounds = 2;
/** Measurements of each group of processes: what they run is compiled meanwhile. */
const measurements = 4;

/** Engines in processes of their own, clients of a node of `sobre serve` each, and bare scripts. */
const kinds = ["engine", "serve", "bare"] as const;
type Kind = (typeof kinds)[number];

interface Together {
  /** Messages a second of all clients. */
  readonly rate: number;
  /** Cores that were kept busy. */
  readonly busy: Readonly<Record<"clients" | "nodes" | "server", number>>;
}

/** Runs some clients together, each in a process of its own, against the database or a node each; the best of some measurements. */
async function together(server: PostgresServer, kind: Kind, clients: number): Promise<Together> {
  const nodes: ServeNode[] = [];
  if (kind === "serve")
    while (nodes.length < clients)
      nodes.push(await ServeNode.start(["--postgres", server.connectionString, "--schema", "ours"]));
  const children = Array.from({ length: clients }, (_, index) => {
    const connectionString = nodes[index]?.connectionString ?? server.connectionString;
    return spawn(process.execPath, [program, connectionString, kind, String(milliseconds)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
  });
  await Promise.all(children.map(({ stdout }) => once(stdout, "data")));
  const measured: Together[] = [];
  for (let measurement = 0; measurement < measurements; measurement++)
    measured.push(await measure(server, nodes, children));
  for (const child of children) {
    const ended = once(child, "exit");
    child.stdin.end();
    await ended;
  }
  for (const node of nodes) await node.end("SIGINT");
  const rate = Math.max(...measured.map((one) => one.rate));
  return measured.find((one) => one.rate === rate) ?? { rate, busy: { clients: 0, nodes: 0, server: 0 } };
}

async function measure(
  server: PostgresServer,
  nodes: readonly ServeNode[],
  children: readonly ChildProcessByStdio<Writable, Readable, null>[],
): Promise<Together> {
  const times = (): Together["busy"] => ({
    clients: sum(children.map(({ pid }) => timeOfProcess(pid))),
    nodes: sum(nodes.map(({ pid }) => timeOfProcess(pid))),
    server: timeOfServer(server),
  });
  const before = times();
  const completed = await Promise.all(
    children.map(async (child) => {
      const printed = once(child.stdout, "data");
      child.stdin.write("go\n");
      const [text] = await printed;
      return Number(String(text));
    }),
  );
  const after = times();
  const busy = (who: keyof Together["busy"]): number => (after[who] - before[who]) / milliseconds;
  return {
    rate: (sum(completed) / milliseconds) * 1000,
    busy: { clients: busy("clients"), nodes: busy("nodes"), server: busy("server") },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const told = ({ rate, busy: { clients, nodes, server } }: Together): string =>
  `${rate.toFixed(0)} messages a second (clients ${clients.toFixed(2)} cores, nodes ${nodes.toFixed(2)}, server ${server.toFixed(2)})`;

/** Four nodes against one, and bare scripts at the same counts of clients: with the database saturated no more can be had. */
export async function severalNodes(): Promise<readonly Figure[]> {
  await using server = await PostgresServer.create(18, ["max_connections=100", "shared_buffers=256MB"]);
  const { connectionString } = server;
  const setUp = [await ours(connectionString), await bare(connectionString, "ours")];
  for (const { close } of setUp) await close();
  const growth: Record<Kind, number[]> = { engine: [], serve: [], bare: [] };
  for (let round = 0; round < rounds; round++)
    for (const kind of kinds) {
      const [one, four] = [await together(server, kind, 1), await together(server, kind, 4)];
      console.log(`  ${kind}: 1 ${told(one)}, 4 ${told(four)}`);
      growth[kind].push(four.rate / one.rate);
    }
  console.log(`  4 against 1: ${kinds.map((kind) => `${kind} ${median(growth[kind]).toFixed(2)}`).join(", ")}`);
  const figure = (kind: Kind, name: string): Figure => ({
    name: `4 ${name} against 1, of the same ratio of bare scripts`,
    measured: median(growth[kind].map((ratio, round) => ratio / (growth.bare[round] ?? Number.NaN))),
    bound: "least",
    target: 1,
    floor: 0.7,
    unit: "×",
  });
  return [figure("engine", "processes with the engine"), figure("serve", "nodes of `sobre serve`")];
}
