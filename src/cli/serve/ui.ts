import { once } from "node:events";
import { createServer } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createClient } from "../../client/client/client.ts";
import type { Engine } from "../../core/engine/engine.ts";
import { memoryEngine } from "../../broker/memory/memory-engine.ts";
import { createInspector } from "../../serve/inspector/inspector.ts";
import type { InspectorOptions } from "../../serve/inspector/inspector-options.ts";
import { isLoopback } from "../../serve/server/host-names.ts";
import { compression } from "../../client/stages/compression.ts";
import { commandSerializer, mailboxReading } from "../codecs.ts";
import { oneLine } from "../display.ts";
import { type EndpointOptions, openBroker } from "../queue/endpoint.ts";
import { type Mailbox, readMailbox } from "../tour/mailbox.ts";
import { exitCodes, Misuse, type Terminal } from "../terminal.ts";

/** The arguments of `sobre ui` besides the broker. */
export interface UiRequest extends EndpointOptions {
  readonly mailbox?: string;
  readonly port: number;
  readonly allowChanges?: boolean;
  readonly hideBodies?: boolean;
  readonly redact?: readonly string[];
  /** Other brokers, each NAME=CONNECTION STRING. */
  readonly toBroker?: readonly string[];
  /** Where re-drives are recorded. */
  readonly redrives?: string;
}

const queue = "mailbox";

/** Milliseconds that the current step of re-drives may take at the end. */
const maxEndTime = 3000;

/** Serves the inspector on this machine until `stop` resolves; resolves to the exit code. */
export async function serveUi(request: UiRequest, terminal: Terminal, stop: Promise<void>): Promise<number> {
  const { port, redact } = request;
  const source = await sourceOf(request);
  const inspector = createInspector({ ...source, redact, onAudit: auditTo(terminal) });
  const server = createServer(inspector.listener);
  try {
    server.listen({ host: "localhost", port });
    await once(server, "listening");
  } catch {
    terminal.err(`sobre: port ${port} is in use or not allowed. Give another with --port\n`);
    for (const engine of [source.engine, ...Object.values(source.brokers)]) await engine.close();
    return exitCodes.failed;
  }
  const address = server.address();
  const at = typeof address === "object" && address !== null ? address.port : port;
  const { bold, dim } = terminal.style;
  const mode = source.changes === true ? "Changes are allowed." : "It only reads; --allow-changes allows more.";
  await terminal.out(`${bold(`http://localhost:${at}/$ui/`)}\n${dim(`${mode} Ends with Ctrl+C.`)}\n`);
  await stop;
  // A broker that does not answer would hold the end up.
  await Promise.race([inspector.close(), setTimeout(maxEndTime, undefined, { ref: false })]);
  server.close();
  server.closeAllConnections();
  for (const engine of [source.engine, ...Object.values(source.brokers)]) await engine.close();
  return exitCodes.done;
}

type PageSource = Pick<
  InspectorOptions,
  "serializer" | "stages" | "changes" | "bodies" | "production" | "directory"
> & {
  readonly engine: Engine;
  readonly brokers: Readonly<Record<string, Engine>>;
};

async function sourceOf(request: UiRequest): Promise<PageSource> {
  const { mailbox, allowChanges = false, hideBodies = false, connectionString } = request;
  const stages = [compression()];
  if (mailbox !== undefined && connectionString !== undefined)
    throw new Misuse("--mailbox and --connection-string exclude each other");
  const brokers = await brokersOf(request.toBroker ?? []);
  if (mailbox !== undefined) {
    const read = await readMailbox(mailbox);
    const { serializer } = mailboxReading(read);
    const engine = await mailboxEngine(read, { serializer, stages });
    return { engine, brokers, serializer, stages, changes: true, bodies: hideBodies ? "onRequest" : "shown" };
  }
  const { engine, settings } = await openBroker(request);
  const production = settings.secure && !isLoopback(settings.host);
  const bodies = hideBodies || production ? "onRequest" : "shown";
  const serializer = await commandSerializer({});
  const directory = request.redrives ?? defaultDirectory(engine);
  return { engine, brokers, serializer, stages, changes: allowChanges, bodies, production, directory };
}

/** The other brokers by name. @throws Misuse for one that is not NAME=CONNECTION STRING. */
async function brokersOf(pairs: readonly string[]): Promise<Readonly<Record<string, Engine>>> {
  const brokers = new Map<string, Engine>();
  for (const pair of pairs) {
    const [, name, connectionString] = /^([\w.-]+)=(.+)$/.exec(pair) ?? [];
    if (name === undefined || connectionString === undefined || name.toLowerCase() === "endpoint")
      throw new Misuse("--to-broker must be NAME=CONNECTION-STRING");
    brokers.set(name, (await openBroker({ connectionString })).engine);
  }
  return Object.fromEntries(brokers);
}

/** A folder of this person and this broker. */
function defaultDirectory({ server }: Engine): string {
  const { XDG_STATE_HOME: state = join(homedir(), ".local", "state") } = process.env;
  const broker = `${server?.address ?? ""}-${server?.port ?? ""}`.replaceAll(/[^\w.-]+/g, "_");
  return join(state, "sobre", "redrives", broker);
}

/** A queue with the messages that are read; those that nothing reads are its dead letters. */
async function mailboxEngine(
  { letters }: Mailbox,
  reading: Pick<InspectorOptions, "serializer"> & { readonly stages: readonly ReturnType<typeof compression>[] },
): Promise<Engine> {
  const engine = memoryEngine({ queues: [queue] });
  const client = createClient({ engine: await engine.connect(), closeEngine: true, ...reading });
  await client.createSender(queue).sendEnvelopes(letters.map(({ envelope }) => envelope));
  const receiver = client.createReceiver(queue, { onUnreadable: "dead-letter" });
  if (letters.length > 0) await receiver.receiveMessages(letters.length, { maxWaitTimeInMs: 0 });
  // Releases the messages that were read, uncounted.
  await client.close();
  return engine;
}

/** Prints a line for every action. */
export const auditTo =
  (terminal: Terminal): NonNullable<InspectorOptions["onAudit"]> =>
  ({ time, caller = "someone without a key", action, entity, detail }) => {
    const line = `audit: ${caller}: ${action} ${entity} ${detail}`;
    void terminal.out(`${time.toISOString().slice(11, 19)} ${oneLine(line)}\n`);
  };
