import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { PostgresServer } from "../../servers/postgres-server.support.ts";
import { type Figure, median } from "../harness.ts";
import { bare } from "./bare.ts";
import { ours } from "./ours.ts";

const program = fileURLToPath(new URL("node-process.ts", import.meta.url));
const milliseconds = 4000;
const rounds = 3;

/** Messages a second of some nodes together, each a process of its own, and the processor time of all nodes in milliseconds. */
async function together(
  connectionString: string,
  kind: "sobre" | "bare",
  nodes: number,
): Promise<readonly [number, number]> {
  const children = Array.from({ length: nodes }, () =>
    spawn(process.execPath, [program, connectionString, kind, String(milliseconds)], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, "data")));
  const results = await Promise.all(
    children.map(async (child) => {
      const printed = once(child.stdout, "data");
      child.stdin.write("go\n");
      const [text] = await printed;
      return String(text).split(" ").map(Number);
    }),
  );
  const sum = (column: number): number => results.reduce((total, result) => total + (result[column] ?? Number.NaN), 0);
  return [(sum(0) / milliseconds) * 1000, sum(1)];
}

/** Four nodes against one, and bare scripts at the same counts of clients: with the database saturated no more can be had. */
export async function severalNodes(): Promise<Figure> {
  await using server = await PostgresServer.create(18, ["max_connections=100", "shared_buffers=256MB"]);
  const { connectionString } = server;
  const setUp = [await ours(connectionString), await bare(connectionString, "ours")];
  for (const { close } of setUp) await close();
  const growth: Record<"sobre" | "bare", number[]> = { sobre: [], bare: [] };
  for (let round = 0; round < rounds; round++)
    for (const kind of ["sobre", "bare"] as const) {
      const [one, oneCpu] = await together(connectionString, kind, 1);
      const [four, fourCpu] = await together(connectionString, kind, 4);
      growth[kind].push(four / one);
      console.log(
        `  ${kind}: 1 node ${one.toFixed(0)} messages a second (${oneCpu} ms of its processor time), 4 nodes ${four.toFixed(0)} (${fourCpu} ms)`,
      );
    }
  console.log(
    `  4 nodes against 1: sobre ${median(growth.sobre).toFixed(2)}, bare scripts ${median(growth.bare).toFixed(2)}`,
  );
  return {
    name: "4 nodes against 1, of the same ratio of bare scripts",
    measured: median(growth.sobre.map((ratio, round) => ratio / (growth.bare[round] ?? Number.NaN))),
    bound: "least",
    target: 1,
    floor: 0.7,
    unit: "×",
  };
}
