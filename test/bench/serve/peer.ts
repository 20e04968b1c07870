import { fork } from "node:child_process";
import { once } from "node:events";
import { Load } from "./load.ts";

/** A server in a process of its own, with the load on it. */
export interface Peer {
  readonly name: string;
  readonly load: Load;
  /** Microseconds of processor time so far. */
  cpu(): Promise<number>;
  /** Resident bytes. */
  memory(): Promise<number>;
  close(): Promise<void>;
}

/** A Node process beside this file, which tells its port when it serves, and its usage when asked. */
export async function startPeer(name: string, ...args: readonly string[]): Promise<Peer & { readonly port: number }> {
  const child = fork(new URL(`${name}-process.ts`, import.meta.url), args);
  const [told]: unknown[] = await once(child, "message");
  const port = numberIn(told, "port");
  const ask = async (what: string): Promise<number> => {
    const answer = once(child, "message");
    child.send("usage");
    const [usage]: unknown[] = await answer;
    return numberIn(usage, what);
  };
  return {
    name,
    port,
    load: new Load(port),
    cpu: () => ask("cpu"),
    memory: () => ask("memory"),
    async close() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

function numberIn(told: unknown, name: string): number {
  const value: unknown = typeof told === "object" && told !== null ? Reflect.get(told, name) : undefined;
  return typeof value === "number" ? value : Number.NaN;
}
