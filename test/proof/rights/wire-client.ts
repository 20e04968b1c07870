import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";
import { type IncomingDelivery, Connection } from "../../../src/wire/amqp/connection/index.ts";
import { parseMessage } from "../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../src/wire/amqp/message/write-message.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue } from "../../../src/core/values/typed.ts";

/** Where and as whom a client connects. */
export interface WireOptions {
  readonly port: number;
  readonly hostname: string;
  readonly isWebSocket: boolean;
  /** Default: one of its own. */
  readonly containerId?: string;
  readonly plain?: { readonly name: string; readonly key: string } | undefined;
}

/** Bytes to and from a server. */
interface Pipe {
  readonly write: (bytes: Uint8Array) => void;
  readonly end: () => void;
}

/** An AMQP client that asks for one thing at a time, and says whether it was let. */
export class WireClient {
  readonly #connection: Connection;
  readonly #pipe: Promise<Pipe>;
  readonly #opened = Promise.withResolvers<boolean>();
  #session: ReturnType<Connection["openSession"]> | undefined;
  #next = 0;

  constructor(options: WireOptions) {
    const { hostname, plain } = options;
    const initialResponse = Buffer.from(`\0${plain?.name}\0${plain?.key}`);
    this.#connection = new Connection({
      role: "client",
      containerId: options.containerId ?? crypto.randomUUID(),
      hostname,
      clientSasl: plain && { hostname, mechanisms: [{ name: "PLAIN", initialResponse }] },
      events: {
        opened: () => this.#opened.resolve(true),
        attach: () => undefined,
        closed: () => this.#opened.resolve(false),
        output: () => setImmediate(() => void this.#flush()),
      },
    });
    this.#pipe = options.isWebSocket ? this.#overWebSocket(options) : this.#overTcp(options);
    setImmediate(() => void this.#flush());
  }

  /** Whether the server has taken the connection. */
  isOpen(): Promise<boolean> {
    return this.#opened.promise;
  }

  async close(): Promise<void> {
    this.#connection.close();
    await this.#flush();
    (await this.#pipe).end();
  }

  /** Attaches a link that listens; resolves to a look whether it is attached, or `undefined` where it was refused. */
  async listen(address: string, name: string): Promise<(() => Promise<boolean>) | undefined> {
    const link = this.#open().links.newReceiver(name);
    link.open(
      { source: { kind: "source", address }, target: { kind: "target" } },
      { delivered: () => undefined, detached: () => undefined },
    );
    // Whatever the server has to say about the link comes before this answer.
    const look = async (): Promise<boolean> => {
      await this.#ask("$cbs", { operation: "none" }, null);
      return link.isAttached;
    };
    return (await look()) ? look : undefined;
  }

  async putToken(token: string): Promise<void> {
    await this.#ask("$cbs", { operation: "put-token" }, token);
  }

  /** Sends a message with this id; resolves to whether the server has accepted it. */
  send(address: string, messageId: string, destination?: string): Promise<boolean> {
    const name = "com.microsoft:transfer-destination-address";
    const properties = destination === undefined ? undefined : new AmqpMap([[typed.symbol(name), destination]]);
    return this.#send(address, message(messageId), properties);
  }

  async schedule(address: string, messageId: string): Promise<boolean> {
    const body = new AmqpMap([["messages", [new AmqpMap([["message", message(messageId, new Date(4e12))]])]]]);
    return (
      (await this.#ask(`${address}/$management`, { operation: "com.microsoft:schedule-message" }, body)) !== undefined
    );
  }

  /** The id of the first message, left where it is. */
  async peek(address: string): Promise<string | undefined> {
    const body = new AmqpMap([
      ["message-count", typed.int(1)],
      ["from-sequence-number", typed.long(0n)],
    ]);
    const answer = await this.#ask(`${address}/$management`, { operation: "com.microsoft:peek-message" }, body);
    const messages = answer instanceof AmqpMap ? answer.get("messages") : undefined;
    const [first] = Array.isArray(messages) ? messages : [];
    const bytes = first instanceof AmqpMap ? first.get("message") : undefined;
    return bytes instanceof Uint8Array ? idOf(bytes) : undefined;
  }

  /** The id of the next message, which is deleted. */
  receive(address: string): Promise<string | undefined> {
    const link = this.#open().links.newReceiver(`receive ${this.#next++}`);
    return new Promise((resolve) => {
      link.open(
        { source: { kind: "source", address }, target: { kind: "target" }, sndSettleMode: 1 },
        {
          delivered: ({ payload }) => {
            link.detach();
            resolve(idOf(payload));
          },
          detached: () => resolve(undefined),
        },
      );
      link.grant(1);
    });
  }

  #send(address: string, payload: Uint8Array, properties?: AmqpMap): Promise<boolean> {
    const link = this.#open().links.newSender(`send ${this.#next++}`);
    let isSent = false;
    return new Promise((resolve) => {
      link.open(
        { source: { kind: "source" }, target: { kind: "target", address }, properties },
        {
          flowed: () => {
            if (!isSent && link.ready) link.send({ payload, tag: Uint8Array.of(1), settled: false });
            isSent = true;
          },
          disposed: (_delivery, state) => {
            link.detach();
            resolve(state?.kind === "accepted");
          },
          detached: () => resolve(false),
        },
      );
    });
  }

  /** Asks a node; resolves to the body of a successful answer. */
  async #ask(
    address: string,
    applicationProperties: Readonly<Record<string, string>>,
    value: AmqpValue,
  ): Promise<AmqpValue | undefined> {
    const replyTo = `replies ${this.#next++}`;
    const link = this.#open().links.newReceiver(replyTo);
    const answer = new Promise<IncomingDelivery | undefined>((resolve) => {
      link.open(
        { source: { kind: "source", address }, target: { kind: "target", address: replyTo } },
        { delivered: resolve, detached: () => resolve(undefined) },
      );
      link.grant(1);
    });
    const request = {
      properties: { messageId: "1", replyTo },
      applicationProperties,
      body: { kind: "value", value },
    } as const;
    if (!(await this.#send(address, writeMessage(request)))) return undefined;
    const delivery = await answer;
    if (link.state === "attached") link.detach();
    const { applicationProperties: told, body } = parseMessage(delivery?.payload ?? new Uint8Array());
    const status = told?.get("statusCode") ?? told?.get("status-code");
    return typeof status === "number" && status < 300 && body?.kind === "value" ? body.value : undefined;
  }

  #open(): ReturnType<Connection["openSession"]> {
    return (this.#session ??= this.#connection.openSession());
  }

  async #flush(): Promise<void> {
    const { write } = await this.#pipe;
    const bytes = this.#connection.take();
    // They are overwritten afterwards.
    if (bytes.byteLength > 0) write(bytes.slice());
  }

  async #overTcp({ port }: WireOptions): Promise<Pipe> {
    const socket: Socket = connect({ port, host: "127.0.0.1" });
    socket.on("data", (bytes) => this.#connection.receive(bytes));
    socket.on("close", () => this.#connection.disconnected());
    socket.on("error", () => undefined);
    await once(socket, "connect");
    return { write: (bytes) => void socket.write(bytes), end: () => void socket.end() };
  }

  async #overWebSocket({ port, hostname }: WireOptions): Promise<Pipe> {
    const options = { headers: { host: `${hostname}:${port}` } };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/$servicebus/websocket`, "AMQPWSB10", options);
    socket.binaryType = "nodebuffer";
    socket.on("message", (bytes) => bytes instanceof Buffer && this.#connection.receive(bytes));
    socket.on("close", () => this.#connection.disconnected());
    socket.on("error", () => undefined);
    await once(socket, "open");
    return { write: (bytes) => socket.send(bytes), end: () => socket.close() };
  }
}

const message = (messageId: string, at?: Date): Uint8Array =>
  writeMessage({
    ...(at !== undefined && { messageAnnotations: { "x-opt-scheduled-enqueue-time": at } }),
    properties: { messageId },
    body: { kind: "value", value: 1 },
  });

const idOf = (bytes: Uint8Array): string => String(parseMessage(bytes).properties?.messageId);
