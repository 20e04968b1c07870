import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import type { Engine } from "../../src/core/engine/index.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { ServedConnection, type ServedConnectionOptions } from "../../src/serve/server/amqp/served-connection.ts";
import type { Access, Grant } from "../../src/serve/server/access.ts";
import { connectionString } from "../../src/serve/server/connection-string.ts";
import { AmqpSocket } from "../../src/serve/server/amqp/amqp-socket.ts";
import { buildDotnetPeer, buildGoPeer, buildJavaPeer, installPythonPackages } from "../external/installed.support.ts";
import { loadOf, type OfficialClient, peerOf } from "../external/official-programs.support.ts";
import { probes } from "../external/peer-probes.support.ts";
import { type Figure, median } from "./harness.ts";

const messages = 2000;
const rounds = 9;
/** Rounds before those that count: compilers are at work in them. */
const warmUp = 3;

/** The clients, and how their programs are made ready. */
const clients: readonly (readonly [OfficialClient, () => Promise<void>])[] = [
  ["JavaScript", async () => {}],
  ["Python", installPythonPackages],
  ["Java", buildJavaPeer],
  ["Go", buildGoPeer],
  ["DotNet", buildDotnetPeer],
];

/** Whether the machine can have a client; the reason why not is printed. */
async function isReady(client: OfficialClient, install: () => Promise<void>): Promise<boolean> {
  const peer = peerOf[client];
  try {
    if (peer !== undefined) await probes[peer].find();
    await install();
    return true;
  } catch (error) {
    console.log(`  ${client} is left out: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/** A read of the server, and the connection that it came on. */
interface Read {
  readonly connection: number;
  readonly bytes: Buffer;
}

/**
 * The server's processor time for a message of each official client: sent, half of them in batches, received and completed.
 *
 * Each client's reads are recorded once and fed to connections in this process: all clients then come at one pace, while
 * over sockets a slow client costs the server more, since every message wakes it.
 */
export async function bench(): Promise<readonly Figure[]> {
  const recorded = new Map<OfficialClient, readonly Read[]>();
  for (const [client, install] of clients)
    if (await isReady(client, install)) recorded.set(client, await record(client));
  const costs = new Map<OfficialClient, number[]>();
  for (let round = -warmUp; round < rounds; round++)
    for (const [client, reads] of recorded) {
      const cost = await replay(client, reads);
      if (round >= 0) costs.set(client, [...(costs.get(client) ?? []), cost]);
    }
  const medians = Array.from(costs, ([client, told]) => [client, median(told)] as const);
  for (const [client, cost] of medians) {
    const reads = (recorded.get(client) ?? []).length / messages;
    console.log(`  ${client}: ${cost.toFixed(1)} µs of processor time and ${reads.toFixed(2)} reads a message`);
  }
  const each = medians.map(([, cost]) => cost);
  return [
    {
      name: "the costliest client's message, the cheapest client = 1",
      measured: Math.max(...each) / Math.min(...each),
      bound: "most",
      target: 1.5,
      floor: 1.75,
      unit: "×",
    },
  ];
}

/** The server's reads while a client loads it. */
async function record(client: OfficialClient): Promise<readonly Read[]> {
  await using engine = memoryEngine({ queues: ["q"] });
  const reads: Read[] = [];
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = connections++;
    socket.on("data", (bytes: Buffer) => reads.push({ connection, bytes }));
    new AmqpSocket(socket, optionsOn(engine)).tick();
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const login = { host: "localhost", port, keyName: "RootManageSharedAccessKey", key: "SAS_KEY_VALUE" };
  await promisify(execFile)(...loadOf(client, connectionString(login), "q", messages));
  server.close();
  return reads;
}

/** Microseconds of processor time for a message. */
async function replay(client: OfficialClient, reads: readonly Read[]): Promise<number> {
  await using engine = memoryEngine({ queues: ["q"] });
  const connections: ServedConnection[] = [];
  const before = process.threadCpuUsage();
  for (const { connection, bytes } of reads) {
    const peer = (connections[connection] ??= connectionTo(engine));
    peer.wire.receive(bytes);
    await nextTurn();
    peer.wire.take();
    peer.wire.taken();
  }
  const { user, system } = process.threadCpuUsage(before);
  await checkDone(client, engine);
  return (user + system) / messages;
}

/** All messages must have come and gone, or it was another load. */
async function checkDone(client: OfficialClient, engine: Engine): Promise<void> {
  const sender = await engine.openSender("q");
  await sender.send([createEnvelope({ payload: new Uint8Array() })]);
  const left = await engine.peek("q", { maxMessages: 10 });
  if (left.length !== 1 || left[0]?.sequenceNumber !== BigInt(messages + 1))
    throw new Error(`The load of the client for ${client} did not come and go as when it was recorded.`);
}

const connectionTo = (engine: Engine): ServedConnection =>
  new ServedConnection({ ...optionsOn(engine), output: () => undefined, now: () => 0 });

/** The recorded reads settle deliveries by their ids, so these must be the same again. */
function optionsOn(engine: Engine): Pick<ServedConnectionOptions, "access" | "firstDeliveryId"> {
  const grant: Grant = { engine, scope: "", rights: ["Manage"], expiresAt: Infinity };
  const access: Access = { anonymous: () => grant, password: () => grant, token: async () => grant };
  return { access, firstDeliveryId: () => 0 };
}
