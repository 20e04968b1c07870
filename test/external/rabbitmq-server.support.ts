import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

/** Where Debian and others put the server itself, which runs as whoever starts it. */
const programs = ["/usr/lib/rabbitmq/bin/rabbitmq-server", "/opt/rabbitmq/sbin/rabbitmq-server"];

/** The server's program; `undefined` on a machine without one. */
export const rabbitmqProgram: string | undefined = programs.find((file) => existsSync(file));

/** How long a start may take, in milliseconds: ten seconds, and more on a busy machine. */
const longestStart = 110_000;

/** Nobody, whose number is the same everywhere. */
const nobody = { uid: 65_534, gid: 65_534 } as const;

/** The user that runs the server. */
const owner = (): typeof nobody | undefined => (process.getuid?.() === 0 ? nobody : undefined);

/** A node with definitions makes no user by itself. */
const definitions = {
  vhosts: [{ name: "/" }],
  users: [
    { name: "guest", password: "guest", tags: ["administrator"] },
    { name: "reader", password: "reader", tags: [] },
  ],
  permissions: [
    { user: "guest", vhost: "/", configure: ".*", write: ".*", read: ".*" },
    { user: "reader", vhost: "/", configure: "^$", write: "^$", read: ".*" },
  ],
};

/** A RabbitMQ of its own in a temporary folder, on loopback. */
export class RabbitmqServer {
  readonly port: number;
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number, environment: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.port = port;
    this.#environment = environment;
  }

  static async create(plugins: readonly string[] = ["rabbitmq_jms_topic_exchange"]): Promise<RabbitmqServer> {
    const folder = await mkdtemp(join(tmpdir(), "sobre-rabbitmq-"));
    const [port = 0, distribution = 0, mapper = 0] = await freePorts(3);
    await writeFile(join(folder, "plugins"), `[${plugins.join(",")}].\n`);
    await writeFile(join(folder, "rabbitmq-env.conf"), "");
    await writeFile(join(folder, "definitions.json"), JSON.stringify(definitions));
    await writeFile(join(folder, "rabbitmq.conf"), `load_definitions = ${join(folder, "definitions.json")}\n`);
    const user = owner();
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    const server = new RabbitmqServer(folder, port, {
      PATH: process.env["PATH"],
      HOME: folder,
      ERL_EPMD_PORT: String(mapper),
      ERL_EPMD_ADDRESS: "127.0.0.1",
      RABBITMQ_NODENAME: `sobre-test-${port}@localhost`,
      RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_DIST_PORT: String(distribution),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
      RABBITMQ_CONF_ENV_FILE: join(folder, "rabbitmq-env.conf"),
      RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq.conf"),
      RABBITMQ_MNESIA_BASE: join(folder, "data"),
      RABBITMQ_LOG_BASE: join(folder, "log"),
      RABBITMQ_PID_FILE: join(folder, "pid"),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
      RABBITMQ_GENERATED_CONFIG_DIR: join(folder, "config"),
    });
    try {
      await server.start();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The address with a user's name and password. */
  url(user = "guest", vhost = "/"): string {
    return `amqp://${user}:${user}@127.0.0.1:${this.port}/${encodeURIComponent(vhost)}`;
  }

  /** Starts the server, again after {@link kill}; resolves when it takes connections. */
  async start(): Promise<void> {
    if (rabbitmqProgram === undefined) throw new Error("There is no rabbitmq-server on this machine.");
    const server = spawn(rabbitmqProgram, { ...owner(), cwd: this.#folder, env: this.#environment, stdio: "ignore" });
    this.#process = server;
    const start = performance.now();
    while (performance.now() - start < longestStart) {
      if (server.exitCode !== null) throw new Error("RabbitMQ ends instead of starting.");
      if (await answers(this.port)) return;
      await setTimeout(100);
    }
    throw new Error(`RabbitMQ has not answered within ${longestStart / 1000} seconds.`);
  }

  /** Ends it as a power failure of its machine would, or as its owner does. */
  async kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    const server = this.#process;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    // The program is a script that may wait for the server itself.
    const pid = Number(await readFile(join(this.#folder, "pid"), "utf8").catch(() => "0"));
    if (pid > 0) process.kill(pid, signal);
    else server.kill(signal);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill("SIGTERM");
    // The port mapper is the server's child and outlives it.
    await promisify(execFile)("epmd", ["-kill"], { env: this.#environment }).catch(() => undefined);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Ports that nobody listens on. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  return servers.map((server) => {
    const address = server.address();
    server.close();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
}

/** Whether AMQP 0-9-1 is spoken on a port. */
async function answers(port: number): Promise<boolean> {
  const socket = createConnection({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  socket.write(Buffer.from("AMQP\0\0\u0009\u0001", "latin1"));
  const answer = await Promise.race([once(socket, "data"), once(socket, "close"), setTimeout(1000, [])]).catch(
    () => [],
  );
  socket.destroy();
  return answer[0] instanceof Buffer;
}
