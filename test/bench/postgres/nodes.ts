import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { PostgresServer } from "../../external/postgres-server.support.ts";
import { ServeNode } from "../../external/serve-node.support.ts";
import { type Figure, median } from "../harness.ts";
import { bare } from "./bare.ts";
import { ours } from "./ours.ts";
import { timeOfProcess, timeOfServer } from "./processor-time.ts";

const program = fileURLToPath(new URL("node-process.ts", import.meta.url));
const milliseconds = 1500;
const rounds = 9;
const counts = [1, 4] as const;

/** Messages that the senders of a group are ahead of its receivers at most. */
const mostAhead = 2000;

/** Engines in processes of their own, clients of a node of `sobre serve` each, and bare scripts. */
const kinds = ["engine", "serve", "bare"] as const;
type Kind = (typeof kinds)[number];

interface Together {
  /** Messages a second of all clients. */
  readonly rate: number;
  /** Cores that were kept busy. */
  readonly busy: Readonly<Record<"clients" | "nodes" | "server", number>>;
}

/** Clients of a kind, each in a process of its own, at the database or at a node each. */
interface Group {
  readonly nodes: readonly ServeNode[];
  readonly children: readonly Child[];
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Each group has tables of its own: what one has left would be work of the next. */
const schemaOf = (kind: Kind, clients: number): string => `${kind}_${clients}`;

async function start(server: PostgresServer, kind: Kind, clients: number): Promise<Group> {
  const nodes: ServeNode[] = [];
  const schema = schemaOf(kind, clients);
  if (kind === "serve")
    while (nodes.length < clients)
      nodes.push(await ServeNode.start(["--postgres", server.connectionString, "--schema", schema]));
  const children = Array.from({ length: clients }, (_, index) => {
    const connectionString = nodes[index]?.connectionString ?? server.connectionString;
    const options = [kind, schema, mostAhead / clients, milliseconds].map(String);
    return spawn(process.execPath, [program, connectionString, ...options], { stdio: ["pipe", "pipe", "inherit"] });
  });
  await Promise.all(children.map(({ stdout }) => once(stdout, "data")));
  return { nodes, children };
}

async function end({ nodes, children }: Group): Promise<void> {
  for (const child of children) {
    const ended = once(child, "exit");
    child.stdin.end();
    await ended;
  }
  for (const node of nodes) await node.end("SIGINT");
}

/** Lets a group work for a time, while the others are idle. */
async function measure(server: PostgresServer, { nodes, children }: Group): Promise<Together> {
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

/** The medians of measurements. */
function told(all: readonly Together[]): string {
  const of = (read: (one: Together) => number): number => median(all.map(read));
  const { clients, nodes, server } = {
    clients: of(({ busy }) => busy.clients),
    nodes: of(({ busy }) => busy.nodes),
    server: of(({ busy }) => busy.server),
  };
  return `${of(({ rate }) => rate).toFixed(0)} messages a second (clients ${clients.toFixed(2)} cores, nodes ${nodes.toFixed(2)}, server ${server.toFixed(2)})`;
}

/** Four nodes against one, and bare scripts at the same counts of clients, in turns: with the database saturated no more can be had. */
export async function severalNodes(): Promise<readonly Figure[]> {
  await using server = await PostgresServer.create(18, ["max_connections=300", "shared_buffers=256MB"]);
  const { connectionString } = server;
  await (await ours(connectionString)).close();
  const tried = [];
  for (const kind of kinds) {
    const groups: Group[] = [];
    for (const count of counts) {
      const schema = schemaOf(kind, count);
      const made = await (kind === "bare" ? bare(connectionString, "ours", schema) : ours(connectionString, schema));
      await made.close();
      groups.push(await start(server, kind, count));
    }
    tried.push({ kind, groups, measured: counts.map(() => new Array<Together>()) });
  }
  for (let round = 0; round < rounds; round++)
    for (const { groups, measured } of tried)
      for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const group = groups[index];
        if (group === undefined) continue;
        measured[index]?.push(await measure(server, group));
      }
  for (const { groups } of tried) for (const group of groups) await end(group);
  const growth = new Map<Kind, readonly number[]>();
  for (const { kind, measured } of tried) {
    const [one = [], four = []] = measured;
    console.log(`  ${kind}: 1 ${told(one)}, 4 ${told(four)}`);
    growth.set(
      kind,
      one.map(({ rate }, round) => (four[round]?.rate ?? Number.NaN) / rate),
    );
  }
  console.log(
    `  4 against 1: ${kinds.map((kind) => `${kind} ${median(growth.get(kind) ?? []).toFixed(2)}`).join(", ")}`,
  );
  const figure = (kind: Kind, name: string): Figure => ({
    name: `4 ${name} against 1, of the same ratio of bare scripts`,
    measured: median(
      (growth.get(kind) ?? []).map((ratio, round) => ratio / (growth.get("bare")?.[round] ?? Number.NaN)),
    ),
    bound: "least",
    target: 1,
    floor: 0.7,
    unit: "×",
  });
  return [figure("engine", "processes with the engine"), figure("serve", "nodes of `sobre serve`")];
}
