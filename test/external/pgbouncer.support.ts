import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { pgbouncer } from "./installed.support.ts";
import { owner, type PostgresServer } from "./postgres-server.support.ts";

/** PgBouncer in transaction mode before a server, with its settings as they come and few connections. */
export class PgBouncer implements AsyncDisposable {
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param more Lines of its settings. */
  static async start(server: PostgresServer, more: readonly string[] = []): Promise<PgBouncer> {
    const folder = await mkdtemp(join(tmpdir(), "sobre-pgbouncer-"));
    const settings = [
      "[databases]",
      `* = host=${server.folder} user=postgres dbname=postgres`,
      "[pgbouncer]",
      "pool_mode = transaction",
      "default_pool_size = 5",
      "max_client_conn = 1000",
      "auth_type = any",
      "listen_addr =",
      `unix_socket_dir = ${folder}`,
      ...more,
    ];
    await writeFile(join(folder, "pgbouncer.ini"), settings.join("\n"));
    await chmod(folder, 0o755);
    const user = owner();
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    const bouncer = new PgBouncer(folder);
    await bouncer.start();
    return bouncer;
  }

  get connectionString(): string {
    return `postgres://postgres@/postgres?host=${encodeURIComponent(this.#folder)}&port=6432`;
  }

  /** Starts it, again after {@link kill}. */
  async start(): Promise<void> {
    const bouncer = spawn(pgbouncer, ["-q", join(this.#folder, "pgbouncer.ini")], { ...owner(), stdio: "ignore" });
    this.#process = bouncer;
    while (!(await this.#answers())) {
      if (bouncer.exitCode !== null) throw new Error(`PgBouncer has ended with ${bouncer.exitCode}.`);
      await setTimeout(20);
    }
  }

  async kill(): Promise<void> {
    const bouncer = this.#process;
    if (bouncer === undefined || bouncer.exitCode !== null || bouncer.signalCode !== null) return;
    const ended = once(bouncer, "exit");
    bouncer.kill("SIGKILL");
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
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
