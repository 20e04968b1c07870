import { isIPv4 } from "node:net";
import type { ConnectionLimits } from "../amqp/connection/connection-limits.ts";
import type { Engine } from "../engine/engine.ts";
import type { MemoryEngineOptions } from "../engines/memory/memory-engine.ts";
import {
  aFunction,
  checkOptions,
  countFrom,
  flag,
  invalidOption,
  methods,
  name,
  oneOf,
  type OptionCheck,
  type OptionChecks,
} from "../options/option-checks.ts";
import type { SharedAccessKeys, TokenVerifier } from "./namespaces.ts";

/** Something that happened to a server and matters to whoever runs it. */
export interface ServerEvent {
  readonly kind: "connected" | "disconnected" | "created" | "refused" | "failed";
  /** One line. */
  readonly text: string;
}

/** Options of `startServer`; the entities and the clock are those of `memoryEngine`. */
export interface ServerOptions extends Omit<MemoryEngineOptions, "keys"> {
  /** The engine to serve, which stays the caller's to close. Default: a memory engine of its own. */
  readonly engine?: Engine | undefined;
  /** Default: `localhost`, in both of its addresses. One that others can reach takes `keys`. */
  readonly host?: string | undefined;
  /** Default: 0, any free one. */
  readonly port?: number | undefined;
  /** Another port that speaks the same, where HTTP clients look for it. Default: none. */
  readonly httpPort?: number | undefined;
  /** Shared access keys by their names. Default: none, and the official emulator's well-known key opens the server. */
  readonly keys?: SharedAccessKeys | undefined;
  /**
   * Verifies access tokens of other issuers, such as those of a `TokenCredential`, e.g. with `jwtVerify` of the package jose.
   * Default: none are accepted. With it and without `keys`, such a token is the only way in.
   */
  readonly verifyToken?: TokenVerifier | undefined;
  /** Whether entities that are used and missing are created. Default: false. */
  readonly autoCreate?: boolean | undefined;
  /** PEM of a key and its certificate, for TLS on the same port. Default: none. */
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

/** Options of `Server.namespace`: entities as `memoryEngine` takes them, or an engine. */
export interface NamespaceOptions extends Omit<MemoryEngineOptions, "clock"> {
  /** The engine to serve, which stays the caller's to close. Default: a memory engine of its own on the server's clock. */
  readonly engine?: Engine | undefined;
}

/** The longest that a timer of Node waits. */
const longestTime = 2 ** 31 - 1;

const port: OptionCheck = (value) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 65_535
    ? undefined
    : "must be a whole number from 0 to 65535";

const time: OptionCheck = (value) =>
  typeof value === "number" && value >= 1 && value <= longestTime
    ? undefined
    : `must be a number of milliseconds from 1 to ${longestTime}`;

const object: OptionCheck = (value) => (typeof value === "object" && value !== null ? undefined : "must be an object");

/** Checked where the engine is made. */
const anything: OptionCheck = () => undefined;

/** A name or value in a connection string, whose parts end with semicolons. */
const secret: OptionCheck = (value) =>
  typeof value === "string" && /^[^;\s][^;]*$/.test(value) && value === value.trim()
    ? undefined
    : 'must be text without ";" and without spaces around it, as it stands in a connection string';

const right = oneOf("Send", "Listen", "Manage");

const rights: OptionCheck = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => right(one) === undefined)
    ? undefined
    : 'must be a list of "Send", "Listen" and "Manage"';

const entityChecks: OptionChecks<Omit<MemoryEngineOptions, "clock">> = {
  keys: anything,
  queues: anything,
  topics: anything,
  firstSequenceNumber: anything,
};

const namespaceChecks: OptionChecks<NamespaceOptions> = {
  ...entityChecks,
  engine: methods("an engine, as memoryEngine makes them", "connect", "openSender", "openReceiver"),
};

const checks: OptionChecks<ServerOptions> = {
  ...namespaceChecks,
  clock: anything,
  host: name,
  port,
  httpPort: port,
  keys: object,
  verifyToken: aFunction,
  autoCreate: flag,
  tls: object,
  limits: object,
  maxMemory: countFrom(1),
  onEvent: aFunction,
};

const limitChecks: OptionChecks<ConnectionLimits> = {
  maxFrameSize: countFrom(512),
  channelMax: countFrom(0),
  handleMax: countFrom(0),
  maxLinks: countFrom(0),
  maxLinkBytes: countFrom(0),
  handshakeTimeOut: time,
  idleTimeOut: time,
};

const keyChecks = { key: secret, rights };
const tlsChecks = { key: name, cert: name };

/** @throws SobreError `InvalidArgument` naming the option that is wrong or unknown. */
export function checkServerOptions(options: ServerOptions): void {
  checkOptions(options, checks);
  const { host = "localhost", keys, verifyToken, tls, limits } = options;
  if (limits !== undefined) checkOptions(limits, limitChecks, { prefix: "limits." });
  if (tls !== undefined) checkOptions(tls, tlsChecks, { prefix: "tls.", needed: ["key", "cert"] });
  if (keys !== undefined) checkKeys(keys);
  else if (verifyToken === undefined && !isLoopback(host))
    throw invalidOption("keys", `must be given where others can reach the server, as they can with the host ${host}`);
  checkEntities(options);
}

/** Checks what a namespace is made with. @throws SobreError `InvalidArgument` naming the option. */
export function checkNamespaceOptions(options: NamespaceOptions): void {
  checkOptions(options, namespaceChecks);
  checkEntities(options);
}

function checkEntities({ engine, queues, topics, firstSequenceNumber }: NamespaceOptions): void {
  if (engine === undefined) return;
  for (const [option, value] of Object.entries({ queues, topics, firstSequenceNumber }))
    if (value !== undefined) throw invalidOption(option, "belongs to the engine, where one is given");
}

function checkKeys(keys: object): void {
  const entries: [string, unknown][] = Object.entries(keys);
  if (entries.length === 0)
    throw invalidOption("keys", "must have a key; without it, the well-known one opens the server");
  for (const [keyName, given] of entries) {
    // The value is never repeated: it is a secret.
    const option = `keys.${keyName}`;
    const wrongName = secret(keyName);
    if (wrongName !== undefined) throw invalidOption(option, `has a wrong name: it ${wrongName}`);
    const key = typeof given === "string" ? { key: given } : given;
    checkOptions(key, keyChecks, { prefix: `${option}.`, needed: ["key"] });
  }
}

/** Whether a host is this machine alone. */
export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
