import { type Figure, median } from "../harness.ts";
import { Load } from "./load.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

const messages = 15_000;
const rounds = 21;
/** Rounds before those that count: compilers are at work in them. */
const warmUp = 3;

/**
 * Whoever does not open the page pays nothing for it: processor time per message of two servers in one process.
 *
 * Each round opens a new connection: one may fall into step with its server better than the next.
 */
export async function inspectorMounted(built: string): Promise<Figure> {
  const server = await startServerProcess("sobre", built, "", "inspector");
  const ratios: number[] = [];
  for (let round = -warmUp; round < rounds; round++) {
    const costs = new Map<number, number>();
    const ports = [server.port, server.inspectedPort];
    for (const port of round % 2 === 0 ? ports : ports.toReversed()) costs.set(port, await cost(server, port));
    if (round >= 0)
      ratios.push((costs.get(server.port) ?? Number.NaN) / (costs.get(server.inspectedPort) ?? Number.NaN));
  }
  await server.close();
  return {
    name: "messages per processor second, inspector mounted",
    measured: median(ratios),
    bound: "least",
    target: 0.98,
    floor: 0.9,
    unit: "×",
  };
}

async function cost(server: ServerProcess, port: number): Promise<number> {
  const load = new Load(port, "official");
  const before = await server.cpu();
  await load.run(messages);
  const spent = (await server.cpu()) - before;
  load.close();
  return spent;
}
