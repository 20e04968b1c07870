import type { IncomingMessage, RequestListener, Server as HttpServer } from "node:http";
import { createServer, type Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Server as TlsServer } from "node:tls";

/** The handlers of sockets by protocol. */
export interface FrontDoorOptions {
  readonly amqp: (socket: Duplex) => void;
  /** Why a WebSocket upgrade is refused; `undefined` if it is not. */
  readonly refusalOf: (request: IncomingMessage) => string | undefined;
  /** Loads the request listener on the first request. */
  readonly http: () => Promise<RequestListener>;
  /** A key and its certificate, as PEM; without it, TLS is not available. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Called with the reason when a socket of an unknown protocol was closed. */
  readonly refused: (why: string) => void;
  /** Milliseconds in which a socket must send its first byte, and the headers of its request. */
  readonly handshakeTimeoutInMs: number;
}

/** Protocols by their first byte: `AMQP`, the record type of a TLS handshake, and HTTP for the rest. */
const firstByte = { amqp: 0x41, tls: 0x16 } as const;

/** The time limit of a complete request, as a multiple of that of its headers. */
const requestTime = 6;

/** Maximum size of a request's headers, in bytes. */
const maxHeaderSize = 80 * 1024;

/** Clients that offer other protocols, e.g. HTTP/2, can do without them. */
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

  /** Stops listening and closes the remaining sockets. */
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

  /** Loads the TLS server. @throws when there is no certificate or an invalid one. */
  async prepareTls(): Promise<void> {
    await (this.#tls ??= this.#newTls());
  }

  #enter(socket: Socket, isSecure: boolean): void {
    const silent = setTimeout(() => socket.destroy(), this.#options.handshakeTimeoutInMs);
    silent.unref();
    // The protocol's handler may release the socket, and an error without a listener would end the process.
    socket.on("error", () => undefined);
    socket.once("close", () => clearTimeout(silent));
    socket.once("data", (chunk: Buffer) => {
      clearTimeout(silent);
      // The protocol's handler must see these bytes first.
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
      refused("TLS needs a certificate. Without one, add UseDevelopmentEmulator=true to the connection string.");
      socket.destroy();
    } else if (first === firstByte.tls && !isSecure) {
      void this.#later(socket, (this.#tls ??= this.#newTls()));
    } else {
      void this.#later(socket, (this.#http ??= this.#newHttp()));
    }
  }

  /** Passes a socket to a server that is loaded on first use, since loading is most of the start-up time. */
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
    const { handshakeTimeoutInMs } = this.#options;
    const timeOuts = {
      headersTimeout: handshakeTimeoutInMs,
      requestTimeout: handshakeTimeoutInMs * requestTime,
      connectionsCheckingInterval: Math.min(1000, handshakeTimeoutInMs / 4),
    };
    const server = create({ maxHeaderSize, shouldUpgradeCallback, ...timeOuts }, listener);
    // A client that sends `Expect: 100-continue` is answered only when the body is read.
    server.on("checkContinue", listener);
    // Node starts checking a server's time-outs on this event, which does not occur for sockets from another server.
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

  /** @throws when there is no certificate. */
  async #newTls(): Promise<TlsServer> {
    const { tls, handshakeTimeoutInMs } = this.#options;
    if (tls === undefined) throw new Error("The server has no certificate.");
    const { createServer: create } = await import("node:tls");
    const server = create({ ...tls, handshakeTimeout: handshakeTimeoutInMs }, (socket) => this.#enter(socket, true));
    server.on("tlsClientError", (error, socket) => {
      this.#options.refused(`A TLS handshake failed: ${error.message}. Check that the client trusts the certificate.`);
      socket.destroy();
    });
    return server;
  }
}
