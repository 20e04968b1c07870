import { readFile } from "node:fs/promises";
import type { Engine } from "../../core/engine/engine.ts";
import type { ConnectionSettings } from "../../broker/azure/connection-string.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Command } from "../commander.ts";
import { oneLine } from "../display.ts";
import { exitCodes, Misuse, orMisuse, unreadable } from "../misuse.ts";
import type { Terminal } from "../terminal.ts";

/** The options that say which broker is meant. */
export interface EndpointOptions {
  readonly connectionString?: string;
  readonly ca?: string;
}

/** A broker, and the entity of it that a command is about. */
export interface Endpoint {
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

/**
 * The endpoint that a command line names; the engine is the caller's to close. Nothing is connected yet.
 *
 * @param entity As `orders`, `orders/$DeadLetterQueue` or `prices/Subscriptions/eu`; default: the connection string's EntityPath.
 * @throws Misuse when there is no connection string, or no entity.
 */
export async function openEndpoint(options: EndpointOptions, entity: string | undefined): Promise<Endpoint> {
  const { engine, settings } = await openBroker(options);
  const named = entity ?? settings.entityPath;
  if (named === undefined) throw new Misuse("no entity: give ENTITY, e.g. orders");
  return { engine, entity: named, address: `${hostOf(settings)}/${named.toLowerCase()}` };
}

/** The broker that a command line names; the engine is the caller's to close. @throws Misuse when there is none. */
export async function openBroker(
  options: EndpointOptions,
): Promise<{ readonly engine: Engine; readonly settings: ConnectionSettings }> {
  const connectionString = options.connectionString ?? variables.map((name) => process.env[name]).find(Boolean);
  if (connectionString === undefined) throw new Misuse(`no broker: give --connection-string, or set ${variables[0]}`);
  const { azureEngine, parseConnectionString } = await import("../../broker/azure/index.ts");
  const settings = orMisuse(() => parseConnectionString(connectionString));
  const { ca } = options;
  const trusted = ca === undefined ? undefined : await readFile(ca, "utf8").catch(unreadable(ca));
  return { engine: azureEngine({ connectionString, ca: trusted }), settings };
}

/** Works with an endpoint, closes it, and reports a failure in one line; resolves to the exit code. */
export async function atEndpoint<E extends Pick<Endpoint, "engine">>(
  endpoint: E,
  terminal: Terminal,
  work: (endpoint: E) => Promise<number>,
): Promise<number> {
  try {
    return await work(endpoint);
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    terminal.err(`sobre: ${oneLine(inWordsOfOptions(error.message))}\n`);
    return exitCodes.failed;
  } finally {
    await endpoint.engine.close().catch(() => undefined);
  }
}

/** A setting that opens a message, as the option of the same name: `lockDuration must …` is about `--lock-duration`. */
function inWordsOfOptions(message: string): string {
  return message.replace(/^[a-z]+(?:[A-Z][a-z]+)+(?= (?:must|is|applies) )/, (name) => {
    return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  });
}

/** The host and port in the address of an endpoint. */
export function brokerOf(address: string): string {
  return address.slice(0, address.indexOf("/"));
}

const hostOf = ({ host, port }: ConnectionSettings): string =>
  `${host.includes(":") ? `[${host}]` : host}${port === undefined ? "" : `:${port}`}`.toLowerCase();
