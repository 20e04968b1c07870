import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Where a connection is cut: before the server gets what the client has sent, or before the client gets the answer. */
export type Cut = "request" | "answer";

/** A relay between clients and a server that cuts one connection on demand. */
export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** How often a client has sent something. */
  requests = 0;
  #armed: { readonly at: Cut; left: number } | undefined;

  private constructor(path: string) {
    this.#server = createServer((client) => this.#relay(client, connect({ path })));
  }

  /** @param path The socket of the server. */
  static async start(path: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(path);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Cuts at the request, from now on, that `after` others precede. */
  arm(at: Cut, after: number): void {
    this.#armed = { at, left: after };
  }

  /** Whether there was a cut since it was armed; it is not armed then. */
  disarm(): boolean {
    const wasCut = this.#armed === undefined;
    this.#armed = undefined;
    return wasCut;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #relay(client: Socket, server: Socket): void {
    let cutsAnswer = false;
    const cut = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.on("data", (data) => {
      this.requests++;
      const armed = this.#armed;
      if (armed !== undefined && armed.left-- === 0) {
        this.#armed = undefined;
        if (armed.at === "request") return cut();
        cutsAnswer = true;
      }
      server.write(data);
    });
    server.on("data", (data) => {
      if (cutsAnswer) cut();
      else client.write(data);
    });
  }
}
