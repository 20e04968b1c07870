import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Engine } from "../../core/engine/engine.ts";
import type { ErrorCode } from "../../core/errors/codes.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { isLoopback } from "../../serve/server/host-names.ts";
import type { ServerEvent, ServerOptions } from "../../serve/server/server-options.ts";
import type { Certificate } from "../../serve/server/certificate.ts";
import { type Server, startServer } from "../../serve/server/start-server.ts";
import { ManualClock } from "../../core/time/manual-clock.ts";
import { oneLine } from "../display.ts";
import { readInput } from "../files.ts";
import { exitCodes, Misuse, namingOption, orMisuse, type Terminal, unreadable } from "../terminal.ts";
import { keepMemorySmall } from "./serve-memory.ts";
import { type Keys, keysOf } from "./serve-keys.ts";
import { checkPostgres, keysApart, openPostgres, type OpenedDatabase, type PostgresCommand } from "./serve-postgres.ts";
import { type DatabaseWait, waitForDatabase } from "./wait-for-database.ts";
import { type RedriveStore, servedInspector, type UiMode } from "./serve-ui.ts";

/** The arguments of `sobre serve`. */
export interface ServeCommand extends PostgresCommand {
  readonly config?: string;
  /** The directory of a store; none keeps everything in memory. */
  readonly data?: string;
  readonly port: number;
  /** Default: 5300, or any free one with a `port` of 0. */
  readonly httpPort?: number;
  /** Default: `localhost`, or every address of an emulator. */
  readonly host?: string;
  readonly queue?: readonly string[];
  /** Shared access keys by their names. */
  readonly key?: Keys;
  /** A file of keys. */
  readonly keyFile?: string;
  /** Keys from the environment. */
  readonly keyVariable?: string;
  readonly autoCreate?: boolean;
  /** Whether it takes the official emulator's place. */
  readonly emulator?: boolean;
  /** The emulator's port for HTTP, from the environment. */
  readonly emulatorHttpPort?: string;
  readonly control?: boolean;
  readonly virtualTime?: boolean;
  /** Megabytes that messages may take. */
  readonly maxMemory?: number;
  /** Whether to use a certificate generated at the start. */
  readonly tls?: boolean;
  /** Files of a certificate and its key. */
  readonly cert?: string;
  readonly certKey?: string;
  /** The mode of the inspector. Default: `read`; off without keys on a network. */
  readonly ui?: UiMode;
  readonly quiet?: boolean;
}

/** Maximum size of a configuration in bytes. */
const maxConfigBytes = 16 * 2 ** 20;
const maxCertificateBytes = 2 ** 20;

const defaultHttpPort = 5300;

/** Milliseconds. */
const defaultWait = 60_000;

/** Serves until `stop` resolves; resolves to the exit code. */
export async function serve(command: ServeCommand, terminal: Terminal, stop: Promise<void>): Promise<number> {
  checkPostgres(command);
  const { emulator = false, host = emulator ? "0.0.0.0" : "localhost", quiet = false } = command;
  const { bold } = terminal.style;
  const configured = await entitiesOf(command);
  if (configured.keys === undefined && !emulator && !isLoopback(host))
    throw new Misuse(
      `--host ${host} can be reached from other machines: give a key with --key NAME=KEY, --key-file or SOBRE_SERVE_KEYS, or in the configuration`,
    );
  const tls = await certificateOf(command, host);
  if (tls === undefined && !emulator && !isLoopback(host))
    terminal.err(`sobre: keys and messages travel unencrypted on ${host}. Add --tls, or --cert and --cert-key.\n`);
  // Without keys, the inspector is for this machine alone.
  const ui = configured.keys === undefined && !isLoopback(host) ? "off" : (command.ui ?? "read");
  let engine: Engine | undefined;
  const { data } = command;
  const storeOf = (): RedriveStore | undefined =>
    engine === undefined || data === undefined ? undefined : { engine, directory: join(data, "redrives") };
  const httpHandler = ui === "off" ? undefined : servedInspector(ui, terminal, storeOf);
  const tell = (event: ServerEvent): void => {
    if (!quiet) void terminal.out(`${timeOfDay()} ${oneLine(event.text)}\n`);
  };
  const running = await started(command, { ...configured, tls, host, httpHandler }, tell, { terminal, stop });
  if (running instanceof SobreError) {
    terminal.err(`sobre: ${running.message}\n`);
    return exitCodes.failed;
  }
  const { server, namespaces } = running;
  ({ engine } = server);
  const trusted = command.tls === true && tls !== undefined ? await writeCertificate(tls.cert) : undefined;
  const entities = await listing(server).catch(notListed);
  const isShown = configured.keys === undefined || configured.keys === command.key;
  const lines = [
    ...(entities.length === 0 ? ["  no entities yet"] : entities),
    ...namespaces.map(({ name, connectionString }) => `  namespace     ${name}: ${shown(connectionString, isShown)}`),
    ...(trusted === undefined ? [] : ["", `  certificate   ${trusted}`]),
    ...(ui === "off" ? [] : ["", `  inspector     ${urlOf(server, tls !== undefined)}`]),
  ];
  const connectionString = shown(server.connectionString, isShown);
  await terminal.out(
    quiet ? `${connectionString}\n` : banner(server, [bold(connectionString), "", ...lines], command, terminal),
  );
  // The modules of Testcontainers wait for this line.
  if (emulator) await terminal.out("Emulator Service is Successfully Up!\n");
  const endWatch = keepMemorySmall();
  await stop;
  endWatch();
  await httpHandler?.close();
  await running.close();
  if (trusted !== undefined) await rm(dirname(trusted), { recursive: true, force: true });
  return exitCodes.done;
}

const shown = (connectionString: string, isShown: boolean): string =>
  isShown ? connectionString : connectionString.replace(/;SharedAccessKey=[^;]*/, ";SharedAccessKey=(not shown)");

/** The certificate for TLS, generated or read. @throws Misuse */
async function certificateOf(
  { tls = false, cert, certKey }: ServeCommand,
  host: string,
): Promise<Certificate | undefined> {
  if (tls && cert !== undefined)
    throw new Misuse("--tls generates a certificate and --cert provides one: give only one of them");
  if ((cert === undefined) !== (certKey === undefined))
    throw new Misuse("--cert and --cert-key must be given together");
  if (cert !== undefined && certKey !== undefined)
    return { cert: await readText(cert, maxCertificateBytes), key: await readText(certKey, maxCertificateBytes) };
  return tls ? (await import("../../serve/server/certificate.ts")).selfSignedCertificate([host]) : undefined;
}

/** The path of the written certificate, for programs to trust; in a new folder that nobody else can write to. */
async function writeCertificate(cert: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "sobre-serve-")), "certificate.pem");
  await writeFile(path, cert);
  return path;
}

/** The initial entities and the keys of all namespaces, from the command line or the configuration. */
type Configured = Pick<ServerOptions, "queues" | "topics" | "keys" | "tls" | "host" | "httpHandler">;

async function entitiesOf(command: ServeCommand): Promise<Configured> {
  const { config, queue = [] } = command;
  const keys = await keysGiven(command);
  const more = Object.fromEntries(queue.map((name) => [name, {}]));
  if (config === undefined) return { queues: more, keys };
  const text = await readText(config, maxConfigBytes);
  // Loaded only when needed: checking a configuration takes most of the start-up time.
  const { emulatorConfig } = await import("../../broker/emulator-config/index.ts");
  const { entities, keys: configuredKeys } = orMisuse(
    () => emulatorConfig(text),
    ({ message }) => `${config}: ${message}`,
  );
  // A queue of the configuration has the settings given there.
  const known = new Set(Object.keys(entities.queues).map((name) => name.toLowerCase()));
  const added = Object.fromEntries(Object.entries(more).filter(([name]) => !known.has(name.toLowerCase())));
  return { topics: entities.topics, queues: { ...entities.queues, ...added }, keys: keys ?? configuredKeys };
}

/** The keys from the command line, a file and the environment; no key may be given twice. @throws Misuse */
async function keysGiven({ key, keyFile, keyVariable }: ServeCommand): Promise<Keys | undefined> {
  if (keyFile === undefined && keyVariable === undefined) return key;
  const secret = {
    ...(keyVariable !== undefined && keysOf(keyVariable, "SOBRE_SERVE_KEYS")),
    ...(keyFile !== undefined && keysOf(await readText(keyFile, maxCertificateBytes), keyFile)),
  };
  return { ...key, ...secret };
}

/** @throws Misuse */
async function readText(path: string, most: number): Promise<string> {
  const bytes = await readInput(path, most).catch(unreadable(path));
  return Buffer.from(bytes).toString("utf8");
}

/** A server with what it serves. */
interface Running {
  readonly server: Server;
  readonly namespaces: readonly { readonly name: string; readonly connectionString: string }[];
  close(): Promise<void>;
}

async function started(
  command: ServeCommand,
  configured: Configured,
  onEvent: (event: ServerEvent) => void,
  waiting: Pick<DatabaseWait, "terminal" | "stop">,
): Promise<Running | SobreError> {
  const { port, autoCreate, data, maxMemory: megabytes, emulator: trustedNetwork, virtualTime = false } = command;
  const { queues, topics, tls, host, httpHandler } = configured;
  const httpPort = command.httpPort ?? emulatorPort(command) ?? (port === 0 ? 0 : defaultHttpPort);
  const control = command.control === true || virtualTime;
  const clock = virtualTime ? new ManualClock() : undefined;
  const maxMemory = megabytes === undefined ? undefined : megabytes * 2 ** 20;
  const { keys, ofNamespaces } = keysApart(configured.keys, command.namespace);
  let engine: Engine | undefined;
  let opened: OpenedDatabase | undefined;
  const closeEngines = async (): Promise<void> => {
    await engine?.close();
    await opened?.close();
  };
  try {
    if (command.postgres !== undefined)
      opened = await waitForDatabase(() => openPostgres(command, { queues, topics }), {
        milliseconds: command.wait ?? defaultWait,
        ...waiting,
      });
    if (data !== undefined) {
      const { durableEngine } = await import("../../broker/durable/durable-engine.ts");
      engine = await durableEngine({ directory: data, queues, topics, clock, memoryBudget: maxMemory });
    }
    const given = opened?.engine ?? engine;
    const entities = given === undefined ? { queues, topics, maxMemory } : { engine: given };
    const ports = { host, port, httpPort };
    const access = { keys, tls, trustedNetwork, httpHandler, health: opened?.health, lockSecret: opened?.lockSecret };
    const server = await startServer({ ...entities, ...ports, ...access, control, clock, autoCreate, onEvent });
    const namespaces = Array.from(opened?.namespaces ?? [], ([name, other]) => ({
      name,
      ...server.namespace(name, { engine: other, keys: ofNamespaces.get(name) }),
    }));
    return {
      server,
      namespaces,
      async close() {
        await server.close();
        await closeEngines();
      },
    };
  } catch (error) {
    await closeEngines();
    if (!(error instanceof SobreError)) throw error;
    // An entity or an option is wrong: the caller's mistake, not the machine's.
    if (!machineCodes.has(error.code)) throw new Misuse(error.message);
    return new SobreError(error.code, portNamed(error), { cause: error });
  }
}

/** The emulator's port for HTTP. @throws Misuse */
function emulatorPort({ emulator = false, emulatorHttpPort: given }: ServeCommand): number | undefined {
  if (!emulator || given === undefined || given === "") return undefined;
  const port = Number(given);
  if (/^\d{1,5}$/.test(given) && port <= 65_535) return port;
  throw new Misuse("EMULATOR_HTTP_PORT must be a port: a whole number from 0 to 65535");
}

/** Codes of a port, directory or database that is in use, damaged, full, not there or not writable. */
const machineCodes: ReadonlySet<ErrorCode> = new Set([
  "InvalidOperation",
  "DecodeFailed",
  "UnauthorizedAccess",
  "ServiceBusy",
  "ServiceCommunicationProblem",
  "ServiceTimeout",
]);

const portNamed = namingOption({ "$.port": "--port", "$.httpPort": "--http-port" });

async function listing({ engine }: Server): Promise<readonly string[]> {
  const { admin } = engine;
  const lines = (await admin.listQueues()).map((name) => `  queue         ${oneLine(name)}`);
  for (const topic of await admin.listTopics()) {
    lines.push(`  topic         ${oneLine(topic)}`);
    for (const name of await admin.listSubscriptions(topic))
      lines.push(`  subscription  ${oneLine(`${topic}/${name}`)}`);
  }
  return lines;
}

/** The database may go between two steps of the start; the server goes on, and so do those that are connected to it. */
function notListed(error: unknown): readonly string[] {
  if (!(error instanceof SobreError)) throw error;
  return [`  entities      not listed: ${oneLine(error.message)}`];
}

const urlOf = ({ host, httpPort }: Server, isSecure: boolean): string =>
  `${isSecure ? "https" : "http"}://${host}:${httpPort}/$ui/`;

function banner(
  { host, port, httpPort }: Server,
  lines: readonly string[],
  { data, postgres, schema = "sobre" }: ServeCommand,
  terminal: Terminal,
): string {
  const place = postgres === undefined ? data : `the schema ${schema} of the database`;
  const { dim } = terminal.style;
  return [
    `Serving on ${host}:${port}${httpPort === port ? "" : ` and ${host}:${httpPort} (HTTP)`}.`,
    "",
    ...lines,
    "",
    dim(`Ends with Ctrl+C; ${place === undefined ? "nothing is kept" : `everything is kept in ${oneLine(place)}`}.`),
    "",
  ].join("\n");
}

const timeOfDay = (): string => new Date().toISOString().slice(11, 19);
