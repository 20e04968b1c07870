import { readFile } from "node:fs/promises";
import type { Engine } from "../../core/engine/engine.ts";
import type { ConnectionSettings } from "../../broker/azure/connection-string.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Command } from "../commander.ts";
import { oneLine } from "../display.ts";
import { exitCodes, Misuse, orMisuse, type Terminal, unreadable } from "../terminal.ts";

/** The options that say which broker is meant. */
export interface EndpointOptions {
  readonly connectionString?: string;
  readonly ca?: string;
}

/** The same with the entity that a command is about. */
export interface EndpointRequest extends EndpointOptions {
  /** As `orders`, `orders/$DeadLetterQueue` or `prices/Subscriptions/eu`; default: the connection string's EntityPath. */
  readonly entity?: string | undefined;
}

/** A broker that a command line names. */
export interface Broker {
  readonly engine: Engine;
  readonly settings: ConnectionSettings;
}

/** An entity of a broker. */
export interface BrokerEndpoint {
  readonly engine: Engine;
  readonly entity: string;
  /** Host, port and entity: identifies an endpoint without its secret. */
  readonly address: string;
}

/** The variables of the environment that hold a connection string, the first that is set. */
const variables = ["SERVICEBUS_CONNECTION_STRING", "AZURE_SERVICEBUS_CONNECTION_STRING"] as const;

/** Gives a command the options that say which broker is meant. */
export function withEndpointOptions(command: Command): Command {
  return command
    .option("-c, --connection-string <CS>", `default: $${variables[0]}`)
    .option("--ca <FILE>", "additional certificates to trust (PEM)");
}

/** A broker, which the caller closes. Nothing is connected yet. @throws Misuse when the options name none. */
export async function openBroker(options: EndpointOptions): Promise<Broker> {
  const connectionString = options.connectionString ?? variables.map((name) => process.env[name]).find(Boolean);
  if (connectionString === undefined) throw new Misuse(`no broker: give --connection-string, or set ${variables[0]}`);
  const { azureEngine, parseConnectionString } = await import("../../broker/azure/index.ts");
  const settings = orMisuse(() => parseConnectionString(connectionString));
  const { ca } = options;
  const trusted = ca === undefined ? undefined : await readFile(ca, "utf8").catch(unreadable(ca));
  return { engine: azureEngine({ connectionString, ca: trusted }), settings };
}

/** An endpoint, whose engine the caller closes. @throws Misuse when there is no broker, or no entity. */
export async function openEndpoint(request: EndpointRequest): Promise<BrokerEndpoint> {
  const { engine, settings } = await openBroker(request);
  const entity = request.entity ?? settings.entityPath;
  if (entity === undefined) throw new Misuse("no entity: give ENTITY, e.g. orders");
  return { engine, entity, address: `${hostOf(settings)}/${entity.toLowerCase()}` };
}

/** Works with an endpoint, closes it, and reports a failure in one line; resolves to the exit code. */
export async function atEndpoint(
  request: EndpointRequest,
  terminal: Terminal,
  work: (endpoint: BrokerEndpoint) => Promise<number>,
): Promise<number> {
  return closing(await openEndpoint(request), terminal, work);
}

/** The same for a broker. */
export async function atBroker(
  options: EndpointOptions,
  terminal: Terminal,
  work: (broker: Broker) => Promise<number>,
): Promise<number> {
  return closing(await openBroker(options), terminal, work);
}

async function closing<Opened extends Pick<BrokerEndpoint, "engine">>(
  opened: Opened,
  terminal: Terminal,
  work: (opened: Opened) => Promise<number>,
): Promise<number> {
  try {
    return await work(opened);
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    terminal.err(`sobre: ${oneLine(error.message)}\n`);
    return exitCodes.failed;
  } finally {
    await opened.engine.close().catch(() => undefined);
  }
}

/** The host and port in the address of an endpoint. */
export function brokerOf(address: string): string {
  return address.slice(0, address.indexOf("/"));
}

const hostOf = ({ host, port }: ConnectionSettings): string =>
  `${host.includes(":") ? `[${host}]` : host}${port === undefined ? "" : `:${port}`}`.toLowerCase();
