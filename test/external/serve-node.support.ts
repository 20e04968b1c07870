import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ServiceBusClient } from "@azure/service-bus";

const command = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** A process of `sobre serve`, on a free port of this machine. */
export class ServeNode implements AsyncDisposable {
  /** The connection string that it prints, of the namespace without a name. */
  readonly connectionString: string;
  readonly #child: ChildProcess;
  readonly #clients: ServiceBusClient[] = [];

  private constructor(child: ChildProcess, connectionString: string) {
    this.#child = child;
    this.connectionString = connectionString;
  }

  /** @param imported A module that it loads first, as a URL. */
  static async start(args: readonly string[], imported?: string): Promise<ServeNode> {
    const before = imported === undefined ? [] : ["--import", imported];
    const all = [...before, command, "serve", "--quiet", "--port", "0", "--http-port", "0", ...args];
    const child = spawn(process.execPath, all, { stdio: ["ignore", "pipe", "inherit"] });
    const [line]: unknown[] = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
    if (child.exitCode !== null) throw new Error(`sobre serve has ended with ${child.exitCode}.`);
    return new ServeNode(child, String(line).trim());
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The address for HTTP. */
  get url(): string {
    const [, host = ""] = /sb:\/\/([^;]+)/.exec(this.connectionString) ?? [];
    return `http://${host}`;
  }

  /** An official client, closed with the node. */
  client(connectionString: string = this.connectionString): ServiceBusClient {
    const client = new ServiceBusClient(connectionString, { retryOptions: { maxRetries: 0 } });
    this.#clients.push(client);
    return client;
  }

  /** Resolves to the exit code. */
  async end(signal: "SIGINT" | "SIGKILL"): Promise<unknown> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return exitCode;
    const ended = once(this.#child, "exit");
    // After a kill, they would wait for answers.
    const closed = Promise.all(this.#clients.map((client) => client.close().catch(() => {})));
    if (signal === "SIGINT") await closed;
    this.#child.kill(signal);
    const [code]: unknown[] = await ended;
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGINT");
  }
}
