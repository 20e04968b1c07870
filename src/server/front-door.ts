import type { IncomingMessage, RequestListener, Server as HttpServer } from "node:http";
import { createServer, type Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Server as TlsServer } from "node:tls";

/** The handlers of sockets by protocol. */
export interface FrontDoorOptions {
  readonly amqp: (socket: Duplex) => void;
  /** Why a request to upgrade to a WebSocket is refused; `undefined`: it is not. */
  readonly refusalOf: (request: IncomingMessage) => string | undefined;
  /** Loads what answers requests when the first one comes. */
  readonly http: () => Promise<RequestListener>;
  /** PEM of a key and its certificate; without it, TLS is not spoken. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Called with the reason when a socket of an unknown protocol was closed. */
  readonly refused: (why: string) => void;
  /** Milliseconds until a socket has to say something, and until the headers of its request have to be there. */
  readonly handshakeTimeOut: number;
}

/** Protocols by their first byte: `AMQP`, the record type of a TLS handshake, and HTTP for the rest. */
const firstByte = { amqp: 0x41, tls: 0x16 } as const;

/** How many times as long a whole request may take as its headers. */
const requestTime = 6;

/** Most bytes of the headers of a request. */
const maxHeaderSize = 80 * 1024;

/** Other protocols, such as HTTP/2, are offered by clients that can do without. */
const shouldUpgradeCallback = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === "websocket";

/** One port for AMQP, HTTP and TLS: the first byte of a socket decides which. */
export class FrontDoor {
  readonly #options: FrontDoorOptions;
  #http: Promise<HttpServer> | undefined;
  #tls: Promise<TlsServer> | undefined;
  readonly #listening: NetServer[] = [];
  readonly #sockets = new Set<Socket>();

  constructor(options: FrontDoorOptions) {
    this.#options = options;
  }

  /** Listens on a host's port; resolves to the port. */
  listen(host: string, port: number): Promise<number> {
    const server = createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      this.#enter(socket, false);
    });
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port, exclusive: true }, () => {
        server.removeListener("error", reject);
        this.#listening.push(server);
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : port);
      });
    });
  }

  /** Stops listening and cuts what is left. */
  async close(): Promise<void> {
    const closing = this.#listening.map((server) => new Promise((resolve) => server.close(resolve)));
    const http = await this.#http;
    http?.close();
    http?.closeAllConnections();
    for (const socket of this.#sockets) socket.destroySoon();
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, 200);
    await Promise.all(closing);
    clearTimeout(cut);
  }

  /** Loads what speaks TLS. @throws when there is no certificate, or a wrong one. */
  async prepareTls(): Promise<void> {
    await (this.#tls ??= this.#newTls());
  }

  #enter(socket: Socket, isSecure: boolean): void {
    const silent = setTimeout(() => socket.destroy(), this.#options.handshakeTimeOut);
    silent.unref();
    // The protocol's handler may release the socket, and an error that nobody listens to would end the process.
    socket.on("error", () => undefined);
    socket.once("close", () => clearTimeout(silent));
    socket.once("data", (chunk: Buffer) => {
      clearTimeout(silent);
      // The protocol's handler has to see these bytes first.
      socket.pause();
      socket.unshift(chunk);
      this.#hand(socket, chunk[0], isSecure);
    });
  }

  #hand(socket: Socket, first: number | undefined, isSecure: boolean): void {
    const { tls, refused } = this.#options;
    if (first === firstByte.amqp) {
      this.#options.amqp(socket);
      socket.resume();
    } else if (first === firstByte.tls && tls === undefined) {
      refused(
        "TLS is not spoken without a certificate. A connection string needs UseDevelopmentEmulator=true without it.",
      );
      socket.destroy();
    } else if (first === firstByte.tls && !isSecure) {
      void this.#later(socket, (this.#tls ??= this.#newTls()));
    } else {
      void this.#later(socket, (this.#http ??= this.#newHttp()));
    }
  }

  /** Hands a socket to a server whose module is loaded when it is first needed, which is most of the time to start. */
  async #later(socket: Socket, server: Promise<HttpServer | TlsServer>): Promise<void> {
    try {
      (await server).emit("connection", socket);
      socket.resume();
    } catch {
      socket.destroy();
    }
  }

  async #newHttp(): Promise<HttpServer> {
    const { createServer: create } = await import("node:http");
    const listener = await this.#options.http();
    const { handshakeTimeOut } = this.#options;
    const timeOuts = {
      headersTimeout: handshakeTimeOut,
      requestTimeout: handshakeTimeOut * requestTime,
      connectionsCheckingInterval: Math.min(1000, handshakeTimeOut / 4),
    };
    const server = create({ maxHeaderSize, shouldUpgradeCallback, ...timeOuts }, listener);
    // A client that sends `Expect: 100-continue` gets its answer only when the body is read.
    server.on("checkContinue", listener);
    // Node looks at the time-outs of a server from here on, and this one gets its sockets from another.
    server.emit("listening");
    const { acceptWebSocket } = await import("./amqp/web-socket.ts");
    const { amqp, refusalOf, refused } = this.#options;
    server.on("upgrade", (request, socket, head) => {
      const why = refusalOf(request);
      if (why === undefined) return acceptWebSocket(request, socket, head, amqp);
      refused(why);
      socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    });
    return server;
  }

  /** @throws when TLS is not to be spoken. */
  async #newTls(): Promise<TlsServer> {
    const { tls, handshakeTimeOut } = this.#options;
    if (tls === undefined) throw new Error("There is no certificate.");
    const { createServer: create } = await import("node:tls");
    const server = create({ ...tls, handshakeTimeout: handshakeTimeOut }, (socket) => this.#enter(socket, true));
    server.on("tlsClientError", (error, socket) => {
      this.#options.refused(`A TLS handshake has failed: ${error.message}. Let the client trust the certificate.`);
      socket.destroy();
    });
    return server;
  }
}
