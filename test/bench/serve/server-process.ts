import { fork } from "node:child_process";
import { once } from "node:events";

/** A server in its own process. */
export interface ServerProcess {
  readonly name: string;
  readonly port: number;
  /** Of a second server in it that has the inspector mounted; NaN where there is none. */
  readonly inspectedPort: number;
  /** Empty for a server that has none. */
  readonly connectionString: string;
  /** Microseconds of processor time so far. */
  cpu(): Promise<number>;
  /** Resident bytes. */
  memory(): Promise<number>;
  close(): Promise<void>;
}

/** Starts a module of this folder, which reports its port when it serves, and its usage when asked. */
export async function startServerProcess(name: string, ...args: readonly string[]): Promise<ServerProcess> {
  const child = fork(new URL(`${name}-process.ts`, import.meta.url), args);
  const [told]: unknown[] = await once(child, "message");
  const ask = async (what: string): Promise<number> => {
    const answer = once(child, "message");
    child.send("usage");
    const [usage]: unknown[] = await answer;
    return numberIn(usage, what);
  };
  return {
    name,
    port: numberIn(told, "port"),
    inspectedPort: numberIn(told, "inspectedPort"),
    connectionString: textIn(told, "connectionString"),
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
  const value = memberOf(told, name);
  return typeof value === "number" ? value : Number.NaN;
}

function textIn(told: unknown, name: string): string {
  const value = memberOf(told, name);
  return typeof value === "string" ? value : "";
}

const memberOf = (told: unknown, name: string): unknown =>
  typeof told === "object" && told !== null ? Reflect.get(told, name) : undefined;
