import { createServer as createHttpServer, type RequestListener, type Server as HttpServer } from "node:http";
import { createServer, type Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";

/** What sockets are handed to. */
export interface FrontDoorOptions {
  readonly amqp: (socket: Duplex) => void;
  readonly http: RequestListener;
  /** PEM of a key and its certificate; without it, TLS is not spoken. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Milliseconds until a socket has to say something. */
  readonly handshakeTimeOut: number;
}

/** Protocols by their first byte: `AMQP`, the record type of a TLS handshake, and HTTP for the rest. */
const firstByte = { amqp: 0x41, tls: 0x16 } as const;

/** Most bytes of the headers of a request. */
const maxHeaderSize = 80 * 1024;

/** One port for AMQP, HTTP and TLS: the first byte of a socket tells which. */
export class FrontDoor {
  readonly #options: FrontDoorOptions;
  readonly #http: HttpServer;
  readonly #tls: TlsServer | undefined;
  readonly #listening: NetServer[] = [];
  readonly #sockets = new Set<Socket>();

  constructor(options: FrontDoorOptions) {
    this.#options = options;
    this.#http = createHttpServer({ maxHeaderSize, headersTimeout: 10_000, requestTimeout: 70_000 }, options.http);
    this.#tls =
      options.tls === undefined ? undefined : createTlsServer(options.tls, (socket) => this.#enter(socket, true));
    this.#tls?.on("tlsClientError", (_error, socket) => socket.destroy());
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
    this.#http.closeAllConnections();
    for (const socket of this.#sockets) socket.destroySoon();
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, 200);
    await Promise.all(closing);
    clearTimeout(cut);
  }

  #enter(socket: Socket, isSecure: boolean): void {
    const silent = setTimeout(() => socket.destroy(), this.#options.handshakeTimeOut);
    silent.unref();
    const failed = (): void => {
      clearTimeout(silent);
      socket.destroy();
    };
    socket.once("error", failed);
    socket.once("close", () => clearTimeout(silent));
    socket.once("data", (chunk: Buffer) => {
      clearTimeout(silent);
      socket.removeListener("error", failed);
      // What takes over has to see these bytes first.
      socket.pause();
      socket.unshift(chunk);
      this.#hand(socket, chunk[0], isSecure);
    });
  }

  #hand(socket: Socket, first: number | undefined, isSecure: boolean): void {
    if (first === firstByte.amqp) {
      this.#options.amqp(socket);
      socket.resume();
    } else if (first === firstByte.tls && !isSecure) {
      if (this.#tls === undefined) socket.destroy();
      else this.#tls.emit("connection", socket);
    } else {
      this.#http.emit("connection", socket);
      socket.resume();
    }
  }
}
