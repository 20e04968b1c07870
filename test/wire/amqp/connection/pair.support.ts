import {
  Connection,
  type ConnectionLimits,
  type ConnectionOptions,
  type Open,
  type ReceivingLink,
  type SendingLink,
  type WireError,
} from "../../../../src/wire/amqp/connection/index.ts";

/** One end, as a test sees it. */
export interface Seen {
  readonly opens: Open[];
  readonly asked: (SendingLink | ReceivingLink)[];
  readonly closed: (WireError | undefined)[];
}

/** Two connections whose bytes reach each other when {@link Pair.run} is called, cut into pieces of a size. */
export class Pair {
  time = 0;
  readonly seen: { readonly server: Seen; readonly client: Seen } = { server: nothing(), client: nothing() };
  readonly server: Connection;
  readonly client: Connection;
  readonly piece: number;

  constructor(
    options: {
      readonly server?: Partial<ConnectionOptions>;
      readonly client?: Partial<ConnectionOptions>;
      readonly limits?: Partial<ConnectionLimits>;
      readonly piece?: number;
    } = {},
  ) {
    this.piece = options.piece ?? 65_536;
    this.server = this.#end("server", { limits: options.limits, ...options.server });
    this.client = this.#end("client", { ...options.client });
  }

  /** Lets bytes go to and fro until there are none. */
  run(): void {
    for (;;) {
      const toServer = this.client.take();
      const toClient = this.server.take();
      if (toServer.byteLength + toClient.byteLength === 0) return;
      this.#feed(this.server, toServer);
      this.#feed(this.client, toClient);
    }
  }

  #feed(end: Connection, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength; at += this.piece) end.receive(bytes.subarray(at, at + this.piece));
  }

  #end(role: "server" | "client", options: Partial<ConnectionOptions>): Connection {
    const seen = this.seen[role];
    return new Connection({
      role,
      containerId: role,
      now: () => this.time,
      events: {
        opened: (open) => void seen.opens.push(open),
        attach: (link) => void seen.asked.push(link),
        closed: (error) => void seen.closed.push(error),
        output: () => undefined,
      },
      ...options,
    });
  }
}

const nothing = (): Seen => ({ opens: [], asked: [], closed: [] });
