import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { kill, startProgram } from "./program.ts";

const program = fileURLToPath(new URL("broker-process.ts", import.meta.url));

/** Where a broker keeps its messages, and how to reach it: a directory, or a connection string. */
export type BrokerPlace =
  | { readonly kind: "memory" }
  | { readonly kind: "durable" | "postgres"; readonly place: string };

/** A broker in its own process, which comes back under its address when it is killed. */
export class Broker {
  killed = 0;
  readonly #place: BrokerPlace;
  #child: ChildProcess;
  #port: number;
  readonly connectionString: string;

  private constructor(place: BrokerPlace, child: ChildProcess, [connectionString, port]: readonly [string, number]) {
    this.#place = place;
    this.#child = child;
    this.#port = port;
    this.connectionString = connectionString;
  }

  static async start(place: BrokerPlace): Promise<Broker> {
    const child = spawnBroker(place, 0);
    return new Broker(place, child, await addressOf(child));
  }

  /** Kills it, and resolves when its successor serves the same messages at the same address. */
  async restart(): Promise<void> {
    this.killed++;
    await kill(this.#child);
    this.#child = spawnBroker(this.#place, this.#port);
    await addressOf(this.#child);
  }

  close(): Promise<void> {
    return kill(this.#child);
  }
}

function spawnBroker(place: BrokerPlace, port: number): ChildProcess {
  const where = place.kind === "memory" ? "" : place.place;
  return startProgram([program, place.kind, where, String(port)], ["ignore", "ignore", "inherit", "ipc"]);
}

async function addressOf(child: ChildProcess): Promise<readonly [string, number]> {
  const told = once(child, "message");
  const ended = once(child, "exit").then(() => {
    throw new Error("The broker has ended instead of starting.");
  });
  const [message]: unknown[] = await Promise.race([told, ended]);
  const { connectionString, port }: { readonly connectionString?: unknown; readonly port?: unknown } = Object(message);
  return [String(connectionString), Number(port)];
}
