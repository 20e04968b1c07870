import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { embeddedPostgres } from "./installed.support.ts";

/** A major version of the server that is tried. */
export type PostgresVersion = 15 | 18;

const programs: Readonly<Record<PostgresVersion, string>> = {
  15: "/usr/lib/postgresql/15/bin",
  18: join(embeddedPostgres, "native/bin"),
};

/** Nobody, whose number is the same everywhere: the server refuses to run as root. */
const nobody = { uid: 65_534, gid: 65_534 } as const;

/** The user that runs the server. */
export const owner = (): typeof nobody | undefined => (process.getuid?.() === 0 ? nobody : undefined);

/** How often a start is tried. */
const mostStarts = 50;

/** Settings of a server that is thrown away: it writes through to no disk. */
const volatile = ["fsync=off", "full_page_writes=off", "synchronous_commit=off"] as const;

/** A server of its own in a temporary folder, reached through a socket there. */
export class PostgresServer {
  readonly #folder: string;
  readonly #bin: string;
  readonly #settings: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(folder: string, bin: string, settings: readonly string[]) {
    this.#folder = folder;
    this.#bin = bin;
    this.#settings = settings;
  }

  static async create(version: PostgresVersion, settings: readonly string[] = volatile): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), "sobre-postgres-"));
    const user = owner();
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    const bin = programs[version];
    const options = [
      "-D",
      join(folder, "data"),
      "-U",
      "postgres",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
      "--no-sync",
    ];
    await promisify(execFile)(join(bin, "initdb"), options, { ...user, cwd: folder });
    const server = new PostgresServer(folder, bin, settings);
    await server.start();
    return server;
  }

  /** Where its socket is. */
  get folder(): string {
    return this.#folder;
  }

  /** Reaches the server's first database. */
  get connectionString(): string {
    return `postgres://postgres@/postgres?host=${encodeURIComponent(this.#folder)}`;
  }

  /** Starts the server, again after {@link kill}: until the processes of a killed one have ended, it refuses to. */
  async start(): Promise<void> {
    for (let tries = 0; tries < mostStarts; tries++) {
      if (await this.#starts()) return;
      await setTimeout(100);
    }
    throw new Error("PostgreSQL ends instead of starting.");
  }

  async #starts(): Promise<boolean> {
    const settings = [`unix_socket_directories=${this.#folder}`, "listen_addresses=", ...this.#settings];
    const options = ["-D", join(this.#folder, "data"), ...settings.flatMap((setting) => ["-c", setting])];
    const server = spawn(join(this.#bin, "postgres"), options, { ...owner(), cwd: this.#folder, stdio: "ignore" });
    this.#process = server;
    while (server.exitCode === null) {
      if (await this.#answers()) return true;
      await setTimeout(50);
    }
    return false;
  }

  /** Ends it as a power failure of its machine would, or as its owner does. */
  async kill(signal: "SIGKILL" | "SIGINT" = "SIGKILL"): Promise<void> {
    const server = this.#process;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill("SIGINT");
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #answers(): Promise<boolean> {
    const client = new Client({ connectionString: this.connectionString });
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  }
}
