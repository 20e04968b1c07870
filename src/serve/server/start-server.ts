import { checkOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import type { RequestListener } from "node:http";
import type { HttpEndpoint } from "./http/http-endpoint.ts";
import type { HttpHandler } from "./http/http-handler.ts";
import type { FirstUse } from "./amqp/served-connection.ts";
import type { Engine } from "../../core/engine/engine.ts";
import { type MemoryEngineOptions, memoryEngineWithin } from "../../broker/memory/memory-engine.ts";
import { type ResolvedLimits, resolveLimits } from "../../wire/amqp/connection/connection-limits.ts";
import { Memory } from "../../broker/memory/meter.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { AmqpSocket, tickInterval } from "./amqp/amqp-socket.ts";
import { Containers } from "./amqp/link-names.ts";
import { SharedSessions } from "./amqp/shared-sessions.ts";
import { autoCreate } from "./auto-create.ts";
import { connectionString } from "./connection-string.ts";
import { refusalOfPage, type RequestSource } from "./foreign-page.ts";
import { FrontDoor } from "./front-door.ts";
import { hostCheck } from "./host-names.ts";
import { codeOf, listenProblem } from "./listen-problem.ts";
import type { Control, ControlledServer } from "./control/control.ts";
import { type KeyedNamespace, Namespaces, rootKeyName, type SharedAccessKeys, wellKnownKey } from "./namespaces.ts";
import {
  checkNamespaceOptions,
  checkServerOptions,
  type NamespaceOptions,
  type ServerOptions,
} from "./server-options.ts";

/** A namespace of a server, isolated from the others. */
export interface ServedNamespace {
  readonly connectionString: string;
  readonly engine: Engine;
}

/** A running server. */
export interface Server extends AsyncDisposable, ServedNamespace {
  readonly host: string;
  readonly port: number;
  /** The same as `port` unless `httpPort` was given. */
  readonly httpPort: number;
  /**
   * The namespace with that name, created with these options on the first call.
   *
   * @throws SobreError `InvalidArgument` for an invalid name or option; `InvalidOperation` without an engine on a
   * server with a durable engine, since its messages would be lost with the process.
   */
  namespace(name: string, options?: NamespaceOptions): ServedNamespace;
  /** Closes all connections with a description, and stops listening. */
  close(): Promise<void>;
}

/**
 * Serves an engine over AMQP 1.0 and HTTP; resolves when it accepts connections.
 *
 * @throws SobreError `InvalidOperation` when the port is in use; `InvalidArgument` naming the invalid or unknown
 * option.
 * @example
 * ```ts
 * const server = await startServer({ queues: ["orders"] });
 * console.log(server.connectionString.slice(0, 23)); // Endpoint=sb://localhost
 * await server.close();
 * ```
 */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  checkServerOptions(options);
  const { host = "localhost", port = 0 } = options;
  // Only tests need it.
  const control =
    options.control === true ? new (await import("./control/control.ts")).Control(options.clock) : undefined;
  const running = new RunningServer(options, host, control);
  try {
    await running.checkCertificate();
    running.port = await running.listen(port, "port");
    const { httpPort = running.port } = options;
    running.httpPort = httpPort === running.port ? httpPort : await running.listen(httpPort, "httpPort");
  } catch (error) {
    await running.close();
    throw error;
  }
  return running;
}

class RunningServer implements Server, ControlledServer {
  readonly host: string;
  readonly engine: Engine;
  port = 0;
  httpPort = 0;
  readonly #options: ServerOptions;
  readonly #limits: ResolvedLimits;
  readonly #namespaces: Namespaces;
  readonly #memory: Memory;
  readonly #containers = new Containers();
  readonly #sharedSessions = new SharedSessions();
  /** `undefined`: anybody may do anything. */
  readonly #keys: SharedAccessKeys | undefined;
  readonly #control: Control | undefined;
  /** Engines that are closed with the server, and their memory. */
  readonly #ownEngines = new Map<Engine, Memory>();
  #endpoint: HttpEndpoint | undefined;
  readonly #door: FrontDoor;
  readonly #sockets = new Set<AmqpSocket>();
  readonly #ticking: NodeJS.Timeout;
  /** The generated key of namespaces, if the server has keys. */
  #secret: string | undefined;

  constructor(options: ServerOptions, host: string, control: Control | undefined) {
    this.host = host;
    this.#control = control;
    this.#options = options;
    const { clock, queues, topics, firstSequenceNumber, verifyToken } = options;
    this.#memory = new Memory(options.maxMemory ?? defaultMaxMemory());
    this.engine =
      options.engine === undefined
        ? this.#newEngine({ clock, queues, topics, firstSequenceNumber })
        : this.#served(options.engine);
    this.#keys = options.keys ?? (verifyToken === undefined ? undefined : {});
    this.#namespaces = new Namespaces(
      { name: "", engine: this.engine, keys: this.#keys },
      { ...options, isHost: hostCheck(options) },
    );
    this.#limits = resolveLimits(options.limits);
    const { handshakeTimeout } = this.#limits;
    this.#door = new FrontDoor({
      amqp: (socket) => this.#amqp(socket),
      http: () => this.#http(),
      tls: options.tls,
      refused: (why) => this.#refused(why),
      refusalOf: ({ headers }) => this.#refusalOfPage({ host: headers.host, origin: headers.origin }),
      handshakeTimeoutInMs: handshakeTimeout,
    });
    this.#ticking = setInterval(() => this.#tick(), Math.min(tickInterval, handshakeTimeout / 4));
    this.#ticking.unref();
  }

  get connectionString(): string {
    const { host, port } = this;
    return connectionString({ host, port, ...firstKey(this.#keys, rootKeyName) });
  }

  /** @throws SobreError `InvalidArgument` when the key or certificate is not usable. */
  async checkCertificate(): Promise<void> {
    if (this.#options.tls === undefined) return;
    try {
      await this.#door.prepareTls();
    } catch (error) {
      const what = "tls must be a key and its certificate as PEM, e.g. made by selfSignedCertificate().";
      throw new SobreError("InvalidArgument", what, { path: "$.tls", cause: error });
    }
  }

  async listen(port: number, option: "port" | "httpPort"): Promise<number> {
    try {
      if (this.host !== "localhost") return await this.#door.listen(this.host, port);
      return await this.#listenOnBoth(port);
    } catch (error) {
      throw listenProblem(error, `${this.host}:${port}`, option);
    }
  }

  /** Clients use either address of `localhost`, so the port must be free on both. */
  async #listenOnBoth(port: number): Promise<number> {
    const chosen = await this.#door.listen("127.0.0.1", port);
    try {
      await this.#door.listen("::1", chosen);
    } catch (error) {
      // Machines without IPv6 have only the first address.
      if (codeOf(error) !== "EADDRINUSE") return chosen;
      if (port !== 0) throw error;
      return this.#listenOnBoth(0);
    }
    return chosen;
  }

  namespace(name: string, options: NamespaceOptions = {}): ServedNamespace {
    checkOption("name", name, is.name);
    checkNamespaceOptions(options);
    const { engine, name: label, keys } = this.#namespaces.find(name) ?? this.#newNamespace(name, options);
    const { host, port } = this;
    return { engine, connectionString: connectionString({ host, port, ...firstKey(keys, label) }) };
  }

  async close(): Promise<void> {
    clearInterval(this.#ticking);
    for (const socket of this.#sockets) socket.close("The server is shutting down.");
    await this.#door.close();
    await this.#endpoint?.close();
    await Promise.all(Array.from(this.#ownEngines.keys(), (engine) => engine.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** An engine that is closed with the server. */
  #newEngine(options: MemoryEngineOptions): Engine {
    const memory = this.#memory.part();
    const engine = this.#served(memoryEngineWithin(memory, options));
    this.#ownEngines.set(engine, memory);
    return engine;
  }

  #served(engine: Engine): Engine {
    return this.#control?.over(engine) ?? engine;
  }

  #newNamespace(name: string, { engine: given, keys: own, ...entities }: NamespaceOptions): KeyedNamespace {
    if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/.test(name))
      throw new SobreError("InvalidArgument", "The name of a namespace must have 1 to 63 letters, digits and hyphens.");
    const { clock } = this.#options;
    const keys = this.#keys;
    if (own === undefined && keys !== undefined && Object.hasOwn(keys, name))
      throw new SobreError(
        "InvalidArgument",
        `The server has a key named ${name}. Choose another name for the namespace.`,
      );
    if (given === undefined && lasting.has(this.engine.name))
      throw new SobreError(
        "InvalidOperation",
        `This server has a ${this.engine.name} engine, but the messages of the namespace ${name} would not be stored. Give it an engine: one with a separate directory or schema, or a memoryEngine.`,
      );
    const engine = given === undefined ? this.#newEngine({ ...entities, clock }) : this.#served(given);
    this.#secret ??= Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");
    const generated = keys === undefined ? undefined : { [name]: this.#secret };
    const namespace: KeyedNamespace = { name, engine, keys: own ?? generated };
    this.#namespaces.add(namespace);
    return namespace;
  }

  #amqp(socket: ConstructorParameters<typeof AmqpSocket>[0]): void {
    const { clock, onEvent } = this.#options;
    const amqp = new AmqpSocket(socket, {
      access: this.#namespaces,
      containers: this.#containers,
      sharedSessions: this.#sharedSessions,
      limits: this.#limits,
      clock,
      autoCreate: this.#autoCreate,
      refused: (why) => this.#refused(why),
      failed: (error, trackingId) => this.#failed(error, trackingId),
      closed: (reason) => {
        this.#sockets.delete(amqp);
        onEvent?.({
          kind: "disconnected",
          text: `a client has disconnected${reason === undefined ? "" : `: ${reason}`}`,
        });
      },
    });
    this.#sockets.add(amqp);
    onEvent?.({ kind: "connected", text: "a client has connected over AMQP" });
  }

  /** Every web page knows the key of a namespace without keys, and names it by its key or its host, as it likes. */
  #refusalOfPage(source: RequestSource): string | undefined {
    return this.#namespaces.someKeyless ? refusalOfPage(source, this.#options.trustedNetwork) : undefined;
  }

  #refused(why: string): void {
    this.#options.onEvent?.({ kind: "refused", text: `refused: ${why}` });
  }

  /** Reports only the kind and place of the error: its message may quote a payload. */
  #failed(error: unknown, trackingId: string): void {
    const { name, stack = "" } = error instanceof Error ? error : new Error("unknown");
    const places = stack.split("\n").filter((line) => line.startsWith("    at "));
    const where = places.slice(0, 5).map((line) => line.trim());
    const text = `the server has failed, TrackingId ${trackingId}: ${name} ${where.join(" ")}`;
    this.#options.onEvent?.({ kind: "failed", text });
  }

  get #autoCreate(): ((engine: Engine, entity: string, use?: FirstUse) => Promise<void>) | undefined {
    return this.#options.autoCreate === true ? (engine, entity, use) => this.#create(engine, entity, use) : undefined;
  }

  async #create(engine: Engine, entity: string, use: FirstUse | undefined): Promise<void> {
    const created = await autoCreate(engine, entity, use);
    if (created !== undefined) this.#options.onEvent?.({ kind: "created", text: `created ${created}` });
  }

  /** Most of the HTTP code is loaded on first use. */
  async #http(): Promise<RequestListener> {
    const [{ HttpEndpoint: Endpoint }, { httpListener }] = await Promise.all([
      import("./http/http-endpoint.ts"),
      import("./http/http-listener.ts"),
    ]);
    this.#endpoint = new Endpoint({
      access: this.#namespaces,
      handlers: await this.#handlers(),
      home: this.#options.httpHandler?.path,
      refusalOfPage: (source) => this.#refusalOfPage(source),
      health: this.#options.health,
      lockSecret: this.#options.lockSecret,
      autoCreate: this.#autoCreate,
      failed: (error, trackingId) => this.#failed(error, trackingId),
    });
    return httpListener(this.#endpoint);
  }

  async #handlers(): Promise<readonly HttpHandler[]> {
    const { httpHandler } = this.#options;
    const given = httpHandler === undefined ? [] : [httpHandler];
    if (this.#control === undefined) return given;
    const { ControlEndpoint } = await import("./control/control-endpoint.ts");
    return [new ControlEndpoint(this.#control, this), ...given];
  }

  get hasKeys(): boolean {
    return this.#keys !== undefined;
  }

  names(): readonly string[] {
    return this.#namespaces.names();
  }

  engineOf(name: string): Engine {
    const engine = name === "" ? this.engine : this.#namespaces.find(name)?.engine;
    if (engine !== undefined) return engine;
    throw new SobreError("MessagingEntityNotFound", "There is no namespace of that name. Create it first.");
  }

  create(name: string, options: NamespaceOptions): string {
    if (this.#namespaces.find(name) === undefined) return this.namespace(name, options).connectionString;
    throw new SobreError("MessagingEntityAlreadyExists", "There is a namespace of that name. Drop it first.");
  }

  async drop(name: string): Promise<void> {
    const engine = this.engineOf(name);
    this.#namespaces.remove(name);
    this.cut(engine);
    const memory = this.#ownEngines.get(engine);
    if (memory === undefined) return;
    this.#ownEngines.delete(engine);
    await engine.close();
    memory.leave();
  }

  cut(engine: Engine): void {
    for (const socket of this.#sockets) socket.cut(engine);
  }

  #tick(): void {
    for (const socket of this.#sockets) socket.tick();
  }
}

/** Engines whose messages outlive the process. */
const lasting: ReadonlySet<string> = new Set(["durable", "postgres"]);

/** The first key, or the well-known one under this name. */
function firstKey(
  keys: SharedAccessKeys | undefined,
  name: string,
): { readonly keyName: string; readonly key: string } {
  const [keyName = name, key = wellKnownKey] = Object.entries(keys ?? {})[0] ?? [];
  return { keyName, key: typeof key === "string" ? key : key.key };
}

/** Bytes for messages that leave as many to everything else. A container's limit counts as the machine's memory. */
function defaultMaxMemory(): number {
  const machine = process.constrainedMemory() || totalmem();
  return Math.floor(Math.min(getHeapStatistics().heap_size_limit, machine, totalmem()) / 2);
}
