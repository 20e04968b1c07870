import { Connection } from "../../../src/wire/amqp/connection/index.ts";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { ServedConnection } from "../../../src/serve/server/amqp/served-connection.ts";
import type { Random } from "../../random.support.ts";

/** One of the two ends of a connection. */
interface End {
  take(): Uint8Array;
  receive(bytes: Uint8Array): void;
}

/** A client's connection to a broker on an engine: what one end writes reaches the other in random pieces. */
export class Wire {
  readonly client: Connection;
  /** Resolves when the client can open sessions. */
  readonly opened: Promise<void>;
  readonly #server: ServedConnection;
  readonly #random: Random;
  readonly #closed = Promise.withResolvers<void>();
  #isCut = false;

  constructor(engine: Engine, name: string, random: Random) {
    this.#random = random;
    const opened = Promise.withResolvers<void>();
    this.opened = opened.promise;
    const pumps = { toServer: () => {}, toClient: () => {} };
    this.#server = new ServedConnection({
      access: {
        anonymous: () => ({ engine, scope: "", rights: ["Manage"], expiresAt: Infinity }),
        password: () => undefined,
        token() {
          throw new Error("There are no tokens.");
        },
      },
      output: () => pumps.toClient(),
      now: () => 0,
    });
    this.client = new Connection({
      role: "client",
      containerId: name,
      now: () => 0,
      events: {
        opened: () => opened.resolve(),
        attach: () => undefined,
        closed: () => this.#closed.resolve(),
        output: () => pumps.toServer(),
      },
    });
    pumps.toServer = this.#pump(this.client, this.#server.wire);
    pumps.toClient = this.#pump(this.#server.wire, this.client);
    pumps.toServer();
  }

  /** Closes the connection in an orderly way. */
  async close(): Promise<void> {
    this.client.close();
    await this.#closed.promise;
  }

  /** Ends the connection wherever its bytes are. */
  cut(): void {
    this.#isCut = true;
    this.#server.wire.disconnected();
    this.client.disconnected();
  }

  /** A function that passes on what has been written, some of it later than the rest. */
  #pump(from: End, to: End): () => void {
    const pieces: Uint8Array[] = [];
    let isGoing = false;
    const go = (): void => {
      if (this.#isCut) return;
      pieces.push(...this.#pieces(Buffer.from(from.take())));
      const piece = pieces.shift();
      if (piece !== undefined) to.receive(piece);
      isGoing = pieces.length > 0;
      if (isGoing) setImmediate(go);
    };
    return () => {
      if (isGoing) return;
      isGoing = true;
      setImmediate(go);
    };
  }

  #pieces(bytes: Uint8Array): readonly Uint8Array[] {
    if (bytes.byteLength === 0) return [];
    const cuts = this.#random.chance(0.5)
      ? []
      : Array.from({ length: 3 }, () => this.#random.integer(bytes.byteLength));
    const edges = [0, ...cuts.toSorted((left, right) => left - right), bytes.byteLength];
    return edges.slice(1).flatMap((edge, index) => {
      const piece = bytes.subarray(edges[index], edge);
      return piece.byteLength === 0 ? [] : [piece];
    });
  }
}
