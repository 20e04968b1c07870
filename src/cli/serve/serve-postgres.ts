import type { EntitySetup } from "../../core/engine/entity-setup.ts";
import type { Engine } from "../../core/engine/engine.ts";
import type { ServerHealth } from "../../serve/server/server-options.ts";
import { Misuse } from "../terminal.ts";

/** The options of `sobre serve` about a PostgreSQL database. */
export interface PostgresCommand {
  /** The URL of the database. */
  readonly postgres?: string;
  readonly schema?: string;
  /** Further namespaces, each with a schema of its name. */
  readonly namespace?: readonly string[];
  readonly migrate?: boolean;
  /** The database without a pooler in between. */
  readonly listen?: string;
  readonly transactionPooler?: boolean;
  /** Milliseconds to wait for the database at the start. Default: a minute. */
  readonly wait?: number;
}

/** The namespaces of a database, opened for a server. */
export interface OpenedDatabase {
  readonly engine: Engine;
  readonly namespaces: ReadonlyMap<string, Engine>;
  readonly health: () => Promise<ServerHealth>;
  readonly lockSecret: string;
  close(): Promise<void>;
}

/** The keys of all namespaces, apart: one that is named as a namespace is that namespace's. */
export interface ApartKeys<K> {
  readonly keys: Readonly<Record<string, K>> | undefined;
  readonly ofNamespaces: ReadonlyMap<string, Readonly<Record<string, K>>>;
}

/** Opens the namespaces of a database. @throws SobreError as `postgresEngine`. */
export async function openPostgres(
  { postgres: connectionString, schema = "sobre", namespace = [], migrate, listen, transactionPooler }: PostgresCommand,
  setup: EntitySetup,
): Promise<OpenedDatabase> {
  const { postgresEngine, postgresServing } = await import("../../broker/postgres/index.ts");
  const database = { connectionString, migrate, transactionPooler, listenConnectionString: listen };
  const engines: Engine[] = [];
  const close = async (): Promise<void> => void (await Promise.all(engines.map((engine) => engine.close())));
  try {
    const engine = await postgresEngine({ ...database, ...setup, schema });
    engines.push(engine);
    const { health, lockSecret } = await postgresServing(engine);
    const healths = new Map<string, () => Promise<ServerHealth>>();
    const namespaces = new Map<string, Engine>();
    for (const name of namespace) {
      const other = await postgresEngine({ ...database, schema: schemaOf(name) });
      engines.push(other);
      namespaces.set(name, other);
      healths.set(name, (await postgresServing(other)).health);
    }
    return { engine, namespaces, health: combined(health, healths), lockSecret, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Healthy when all namespaces are. */
function combined(
  main: () => Promise<ServerHealth>,
  others: ReadonlyMap<string, () => Promise<ServerHealth>>,
): () => Promise<ServerHealth> {
  if (others.size === 0) return main;
  return async () => {
    const own = await main();
    const namespaces: Record<string, ServerHealth> = {};
    for (const [name, ask] of others) namespaces[name] = await ask();
    const failing = [own, ...Object.values(namespaces)].find(({ status }) => status !== "healthy");
    return { ...own, status: failing?.status ?? own.status, namespaces };
  };
}

/** The schema of a namespace, whose name may have hyphens and capital letters. */
const schemaOf = (namespace: string): string => namespace.toLowerCase().replaceAll("-", "_");

const wants = (given: unknown): boolean => given !== undefined && given !== false;

/** Checks that the options agree with each other. @throws Misuse */
export function checkPostgres(
  command: PostgresCommand & { readonly data?: string; readonly maxMemory?: number; readonly virtualTime?: boolean },
): void {
  const { postgres, schema = "sobre", namespace = [] } = command;
  if (postgres === undefined) {
    for (const option of ["schema", "namespace", "migrate", "listen", "transactionPooler", "wait"] as const)
      if (wants(command[option])) throw new Misuse(`${dashed(option)} is about a database: give --postgres URL`);
    return;
  }
  for (const option of ["data", "maxMemory", "virtualTime"] as const)
    if (wants(command[option]))
      throw new Misuse(
        `${dashed(option)} and --postgres exclude each other: the database has the messages and the time`,
      );
  const schemas = new Set([schema, ...namespace.map(schemaOf)]);
  if (schemas.size <= namespace.length) throw new Misuse("every --namespace needs a schema of its own");
}

const dashed = (option: string): string => `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Separates the keys of the namespaces. @throws Misuse when a namespace of a server with keys has none. */
export function keysApart<K>(
  keys: Readonly<Record<string, K>> | undefined,
  namespaces: readonly string[] = [],
): ApartKeys<K> {
  if (keys === undefined || namespaces.length === 0) return { keys, ofNamespaces: new Map() };
  const left = { ...keys };
  const ofNamespaces = new Map<string, Readonly<Record<string, K>>>();
  for (const name of namespaces) {
    const key = Object.hasOwn(left, name) ? left[name] : undefined;
    if (key === undefined)
      throw new Misuse(`--namespace ${name} needs a key of its name, the same at every node: ${name}=KEY`);
    delete left[name];
    ofNamespaces.set(name, { [name]: key });
  }
  if (Object.keys(left).length === 0)
    throw new Misuse("the keys are all of a --namespace: give one more, for the schema without a name");
  return { keys: left, ofNamespaces };
}
