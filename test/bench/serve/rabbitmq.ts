import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Load } from "./load.ts";
import type { Peer } from "./peer.ts";

/** Where Debian and others put the server itself, which runs as whoever starts it. */
const programs = ["/usr/lib/rabbitmq/bin/rabbitmq-server", "/opt/rabbitmq/sbin/rabbitmq-server"];

/** A RabbitMQ, and how it is set up, in words. Its load uses a durable classic queue. */
export interface Rabbitmq extends Peer {
  readonly configuration: string;
  /** The same load on a quorum queue. */
  quorum(): Load;
}

/** Loaded at the start: over AMQP 1.0 only classic queues can be declared. A node with definitions makes no user by itself. */
const definitions = {
  vhosts: [{ name: "/" }],
  users: [{ name: "guest", password: "guest", tags: ["administrator"] }],
  permissions: [{ user: "guest", vhost: "/", configure: ".*", write: ".*", read: ".*" }],
  queues: [{ name: "quorum", vhost: "/", durable: true, auto_delete: false, arguments: { "x-queue-type": "quorum" } }],
};

/** Microseconds of a tick of the processor times under /proc. */
const tick = 10_000;

/** Starts a RabbitMQ that speaks AMQP 1.0, on loopback with its own folders; `undefined` when none is installed. Its queue is durable. */
export async function startRabbitmq(shape: "official" | "persistent" = "official"): Promise<Rabbitmq | undefined> {
  const program = programs.find((file) => existsSync(file));
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "sobre-rabbitmq-"));
  const [port, distribution, mapper] = await Promise.all([freePort(), freePort(), freePort()]);
  writeFileSync(join(folder, "plugins"), "[rabbitmq_amqp1_0].\n");
  writeFileSync(join(folder, "rabbitmq-env.conf"), "");
  writeFileSync(join(folder, "definitions.json"), JSON.stringify(definitions));
  writeFileSync(join(folder, "rabbitmq.conf"), `load_definitions = ${join(folder, "definitions.json")}\n`);
  const environment = {
    PATH: process.env["PATH"],
    HOME: folder,
    ERL_EPMD_PORT: String(mapper),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    RABBITMQ_NODENAME: `sobre-bench-${port}@localhost`,
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
  };
  const child = spawn(program, { env: environment, stdio: "ignore" });
  const ended = once(child, "exit");
  const close = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    // The port mapper is the server's child and outlives it.
    await once(spawn("epmd", ["-kill"], { env: environment, stdio: "ignore" }), "exit").catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await answering(port);
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    const load = new Load(port, shape, "/queue/q");
    const [cpu, memory] = [async () => cpuOf(pid), async () => memoryOf(pid)];
    const configuration = `${versionOf(program)}: durable, ${
      shape === "persistent" ? "messages that are kept on disk" : "messages in memory"
    }, each send confirmed and each delivery settled over AMQP 1.0`;
    const quorum = (): Load => new Load(port, shape, "/amq/queue/quorum");
    return { name: "rabbitmq", frames: `${shape} frames`, load, quorum, cpu, memory, close, configuration };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The release, by the folder that each has for itself. */
function versionOf(program: string): string {
  const release = readdirSync(join(dirname(program), "../lib")).find((name) => name.startsWith("rabbitmq_server"));
  return release?.replace("rabbitmq_server-", "RabbitMQ ") ?? "RabbitMQ";
}

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Waits until AMQP 1.0 is spoken on a port. */
async function answering(port: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const socket = createConnection({ port, host: "127.0.0.1" });
    socket.on("error", () => undefined);
    socket.write(Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 1, 0, 0]));
    const answer = await Promise.race([once(socket, "data"), once(socket, "close"), later(1000)]).catch(() => []);
    socket.destroy();
    if (answer[0] instanceof Buffer) return;
    await later(200);
  }
  throw new Error("RabbitMQ has not answered within a minute.");
}

/** User and system time in microseconds. */
function cpuOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * tick;
}

function memoryOf(pid: number): number {
  const [, pages = "0"] = readFileSync(`/proc/${pid}/statm`, "latin1").split(" ");
  return Number(pages) * 4096;
}

const later = (milliseconds: number): Promise<readonly unknown[]> =>
  new Promise((resolve) => setTimeout(() => resolve([]), milliseconds));
