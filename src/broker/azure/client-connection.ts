import type { Duplex } from "node:stream";
import { Connection } from "../../wire/amqp/connection/connection.ts";
import type { WireError } from "../../wire/amqp/connection/wire-fault.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { brokerError, connectionLost } from "./broker-errors.ts";
import type { Timing } from "./timing.ts";

/** The session of a connection, which contains its links. */
export type ClientSession = ReturnType<Connection["openSession"]>;

/** Milliseconds between looks at the time-outs, at most. */
const tick = 1000;

/** Milliseconds that the broker has to answer a close. */
const lingering = 2000;

/** SASL mechanisms; tokens follow through `$cbs`. */
const mechanisms = ["MSSBCBS", "ANONYMOUS"].map((name) => ({ name, initialResponse: new Uint8Array(0) }));

/** The client side of a connection on a byte stream. */
export class ClientConnection {
  readonly #wire: Connection;
  readonly #stream: Duplex;
  readonly #ticking: NodeJS.Timeout;
  #flushing = false;
  #isOpen = false;
  readonly #opened = Promise.withResolvers<undefined>();
  readonly #ended = Promise.withResolvers<SobreError>();

  private constructor(stream: Duplex, hostname: string, { answer, idle }: Timing) {
    this.#stream = stream;
    this.#wire = new Connection({
      role: "client",
      containerId: crypto.randomUUID(),
      hostname,
      clientSasl: { mechanisms, hostname },
      limits: { handshakeTimeout: answer, idleTimeout: idle },
      events: {
        opened: () => {
          this.#isOpen = true;
          this.#opened.resolve(undefined);
        },
        // A broker asks for no links.
        attach: (link) =>
          link.refuse({ condition: "amqp:not-allowed", description: "A client does not accept links." }),
        closed: (error) => this.#closed(error),
        output: () => this.#flushSoon(),
      },
    });
    stream.on("data", (chunk: Buffer) => this.#wire.receive(chunk));
    stream.on("drain", () => this.#wire.resume());
    // A stream's error is followed by its close, which is all that matters here.
    stream.on("error", () => undefined);
    stream.on("end", () => this.#wire.disconnected());
    stream.on("close", () => this.#wire.disconnected());
    this.#ticking = setInterval(() => this.#look(), Math.min(tick, Math.max(idle / 4, 10)));
    this.#ticking.unref();
    this.#flushSoon();
  }

  /** Shakes hands; resolves when the broker has opened. @throws SobreError as the broker refuses. */
  static async open(stream: Duplex, hostname: string, timing: Timing): Promise<ClientConnection> {
    const connection = new ClientConnection(stream, hostname, timing);
    const failed = await Promise.race([connection.#opened.promise, connection.over]);
    if (failed !== undefined) throw failed;
    return connection;
  }

  /** Resolves when the connection has ended, to the reason. */
  get over(): Promise<SobreError> {
    return this.#ended.promise;
  }

  openSession(): ClientSession {
    return this.#wire.openSession();
  }

  /** Closes the connection; resolves when the broker has confirmed it. */
  async close(): Promise<void> {
    this.#wire.close();
    this.#flush();
    const waiting = setTimeout(() => this.#wire.disconnected(), lingering);
    await this.over;
    clearTimeout(waiting);
  }

  /** Ends the stream without closing the connection. */
  abort(): void {
    this.#stream.destroy();
    this.#wire.disconnected();
  }

  /** Looks at the time-outs after what has arrived: a process that was stopped for a while has first to hear the broker. */
  #look(): void {
    setImmediate(() => this.#wire.tick()).unref();
  }

  #closed(error: WireError | undefined): void {
    clearInterval(this.#ticking);
    this.#ended.resolve(this.#isOpen || error === undefined ? reasonOf(error) : brokerError(error));
    this.#flush();
    this.#stream.end();
    setTimeout(() => this.#stream.destroy(), lingering).unref();
  }

  /** Everything that happens within one turn of the event loop goes out in one write. */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#flushing = false;
    const bytes = this.#wire.take();
    if (bytes.byteLength === 0 || this.#stream.destroyed || this.#stream.writableEnded) return;
    if (!this.#stream.write(bytes)) this.#wire.writable = false;
  }
}

/** Why a connection is over. A protocol violation ends only this connection; the next one may work. */
function reasonOf(error: WireError | undefined): SobreError {
  if (error === undefined) return connectionLost("the broker closed it.");
  const reason = brokerError(error);
  return reason.retryable ? reason : connectionLost(`${error.condition}, ${reason.message}`);
}
