import type { ConnectionLimits } from "../../wire/amqp/connection/connection-limits.ts";
import type { Engine } from "../../core/engine/engine.ts";
import type { MemoryEngineOptions } from "../../broker/memory/memory-engine.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { durationFrom } from "../../core/options/duration-option.ts";
import { isObject } from "../../core/values/plain-object.ts";
import type { HttpHandler } from "./http/http-handler.ts";
import { isLoopback } from "./host-names.ts";
import type { SharedAccessKeys, TokenNamespaces, TokenVerifier } from "./namespaces.ts";

/** An event of a server, for its operator. */
export interface ServerEvent {
  readonly kind: "connected" | "disconnected" | "created" | "refused" | "failed";
  /** A description in one line. */
  readonly text: string;
}

/** The state of a server's engine, with any further members: anyone who reaches the server can read it. */
export interface ServerHealth {
  /** `healthy` when clients can work. */
  readonly status: string;
}

/** Options of `startServer`, including the entities and clock of `memoryEngine`. */
export interface ServerOptions extends MemoryEngineOptions {
  /** The engine to serve, which the caller must close. Default: a new memory engine. */
  readonly engine?: Engine | undefined;
  /** Default: `localhost`, on both its addresses. A host that other machines can reach requires `keys`. */
  readonly host?: string | undefined;
  /** Default: 0, any free port. */
  readonly port?: number | undefined;
  /**
   * Whether everybody who can reach the host may do everything without a key: it waives the requirement of `keys` on a
   * host that other machines can reach, under names that no web site can give it: addresses, and names without a domain,
   * as containers have. Web pages of other sites are still refused. Set it only on a closed network, such as that of a
   * few containers. Default: false.
   */
  readonly trustedNetwork?: boolean | undefined;
  /** A second port with the same protocols, for HTTP clients that expect one. Default: none. */
  readonly httpPort?: number | undefined;
  /** Shared access keys by name. Default: none; the official emulator's well-known key is accepted. */
  readonly keys?: SharedAccessKeys | undefined;
  /**
   * Verifies access tokens of other issuers, such as those of a `TokenCredential`, e.g. with `jwtVerify` of the package jose.
   * Default: none are accepted. With it and without `keys`, such a token is the only way in. Its second argument names the namespace
   * that the token is used in.
   */
  readonly verifyToken?: TokenVerifier | undefined;
  /**
   * The namespaces for which `verifyToken` is asked: `main` for the server's own alone, so that the others take only their
   * keys; `all` for every one. Default: `main`.
   */
  readonly tokenNamespaces?: TokenNamespaces | undefined;
  /**
   * Whether a client with Manage on the namespace can steer the server over HTTP, for tests: empty entities, advance
   * virtual time, inject faults, make and drop namespaces, and read what was sent. Default: false.
   */
  readonly control?: boolean | undefined;
  /**
   * Answers the HTTP requests below a path of its own, e.g. an inspector below `/$ui/`; browsers that ask for `/` are sent
   * there. Default: none.
   */
  readonly httpHandler?: HttpHandler | undefined;
  /**
   * Answers `/health`, as JSON, e.g. that of `postgresServing`. The HTTP status is 503 after an error and for every other
   * `status` than `healthy`. Default: `{ status: "healthy" }`.
   */
  readonly health?: (() => Promise<ServerHealth>) | undefined;
  /**
   * Seals the lock tokens that clients get over HTTP. Servers of one broker must have the same, so that a lock taken at one is
   * settled at another. Default: a random one.
   */
  readonly lockSecret?: string | undefined;
  /** Whether missing entities are created on first use. Default: false. */
  readonly autoCreate?: boolean | undefined;
  /** A key and its certificate as PEM, for TLS on the same port. Default: none. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  readonly limits?: Partial<ConnectionLimits> | undefined;
  /**
   * Bytes of memory that the messages, sessions and entities of all namespaces may take together, those of engines given
   * excepted; beyond it sends are refused with `QuotaExceeded`. Default: half of Node's heap limit, or of the machine's
   * memory where that is less.
   */
  readonly maxMemory?: number | undefined;
  readonly onEvent?: ((event: ServerEvent) => void) | undefined;
}

/** Options of `Server.namespace`: entities as in `memoryEngine`, or an engine. */
export interface NamespaceOptions extends Omit<MemoryEngineOptions, "clock"> {
  /** Shared access keys by name. Default: on a server with keys, a generated one named as the namespace. */
  readonly keys?: SharedAccessKeys | undefined;
  /** The engine to serve, which the caller must close. Default: a new memory engine on the server's clock. */
  readonly engine?: Engine | undefined;
}

/** The maximum delay of a timer in Node. */
const maxTimeLength = 2 ** 31 - 1;

const time = durationFrom(1, maxTimeLength);

/** A name or value in a connection string, where semicolons separate the parts. */
const secret: is.OptionCheck = (value) =>
  typeof value === "string" && /^[^;\s][^;]*$/.test(value) && value === value.trim()
    ? undefined
    : 'must be a string without ";" and without leading or trailing spaces, since it is part of a connection string';

const handler: is.OptionCheck = (value) => {
  const wrong = is.methods("an object with a path and a method answer", "answer")(value);
  if (wrong !== undefined) return wrong;
  const path: unknown = isObject(value) ? value["path"] : undefined;
  const isPath = typeof path === "string" && /^\$[a-z]+$/.test(path) && path !== "$control";
  return isPath ? undefined : 'must have a path of "$" and lower-case letters, e.g. "$ui", other than "$control"';
};

const right = is.oneOf("Send", "Listen", "Manage");

const rights: is.OptionCheck = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => right(one) === undefined)
    ? undefined
    : 'must be a list of "Send", "Listen" and "Manage"';

const entityChecks: OptionChecks<Omit<MemoryEngineOptions, "clock">> = {
  queues: is.anything,
  topics: is.anything,
  firstSequenceNumber: is.anything,
};

const namespaceChecks: OptionChecks<NamespaceOptions> = {
  ...entityChecks,
  keys: is.anything,
  engine: is.engine,
};

const serverChecks: OptionChecks<ServerOptions> = {
  ...namespaceChecks,
  clock: is.anything,
  host: is.name,
  port: is.port,
  trustedNetwork: is.flag,
  httpPort: is.port,
  keys: is.object,
  verifyToken: is.aFunction,
  tokenNamespaces: is.oneOf("main", "all"),
  control: is.flag,
  httpHandler: handler,
  health: is.aFunction,
  lockSecret: is.name,
  autoCreate: is.flag,
  tls: is.object,
  limits: is.object,
  maxMemory: is.countFrom(1),
  onEvent: is.aFunction,
};

const limitChecks: OptionChecks<ConnectionLimits> = {
  maxFrameSize: is.countFrom(512),
  channelMax: is.countFrom(0),
  handleMax: is.countFrom(0),
  maxLinks: is.countFrom(0),
  maxLinkBytes: is.countFrom(0),
  handshakeTimeout: time,
  idleTimeout: time,
};

const keyChecks = { key: secret, rights };
const tlsChecks = { key: is.name, cert: is.name };

/** @throws SobreError `InvalidArgument` naming the invalid or unknown option. */
export function checkServerOptions(options: ServerOptions): void {
  checkOptions(options, serverChecks);
  const { host = "localhost", keys, verifyToken, trustedNetwork = false, tls, limits } = options;
  if (limits !== undefined) checkOptions(limits, limitChecks, { prefix: "limits." });
  if (tls !== undefined) checkOptions(tls, tlsChecks, { prefix: "tls.", needed: ["key", "cert"] });
  if (keys !== undefined) checkKeys(keys);
  else if (verifyToken === undefined && !trustedNetwork && !isLoopback(host))
    throw invalidOption("keys", `are required when other machines can reach the server, as with the host ${host}`);
  checkEntities(options);
}

/** Checks the options of a namespace. @throws SobreError `InvalidArgument` naming the option. */
export function checkNamespaceOptions(options: NamespaceOptions): void {
  checkOptions(options, namespaceChecks);
  if (options.keys !== undefined) checkKeys(options.keys);
  checkEntities(options);
}

function checkEntities({ engine, queues, topics, firstSequenceNumber }: NamespaceOptions): void {
  if (engine === undefined) return;
  for (const [option, value] of Object.entries({ queues, topics, firstSequenceNumber }))
    if (value !== undefined) throw invalidOption(option, "cannot be combined with engine; set it on the engine");
}

function checkKeys(keys: object): void {
  const entries: [string, unknown][] = Object.entries(keys);
  if (entries.length === 0)
    throw invalidOption("keys", "must have at least one key; otherwise the well-known key would be accepted");
  for (const [keyName, given] of entries) {
    // The value is secret and never repeated.
    const option = `keys.${keyName}`;
    const wrongName = secret(keyName);
    if (wrongName !== undefined) throw invalidOption(option, `has an invalid name: it ${wrongName}`);
    const key = typeof given === "string" ? { key: given } : given;
    checkOptions(key, keyChecks, { prefix: `${option}.`, needed: ["key"] });
  }
}
