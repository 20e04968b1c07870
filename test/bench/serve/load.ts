import { createConnection, type Socket } from "node:net";
import { FrameReader } from "../../../src/amqp/wire/frame-reader.ts";
import { FrameWriter } from "../../../src/amqp/wire/frame-writer.ts";
import { bodyReader } from "../../../src/amqp/wire/composite.ts";
import { accepted } from "../../../src/amqp/wire/delivery-state.ts";
import { code } from "../../../src/amqp/wire/performative.ts";
import { readBody, readFlow } from "../../../src/amqp/wire/read-performative.ts";
import { writeMessage } from "../../../src/amqp/index.ts";

/** A load generator of frames that were encoded before, so that it is not what limits a server. */
export class Load {
  readonly #socket: Socket;
  readonly #reader = new FrameReader(2 ** 20);
  readonly #payload = writeMessage({
    properties: { messageId: "0123456789abcdef" },
    body: { kind: "data", sections: [new Uint8Array(1024)] },
  });
  #phase = 0;
  #credit = 0;
  #sent = 0;
  #received = 0;
  #settled = 0;
  #wanted = 0;
  #done: () => void = () => undefined;

  constructor(port: number) {
    this.#socket = createConnection({ port, host: "127.0.0.1", noDelay: true });
    const frames = new FrameWriter();
    frames.protocolHeader(0);
    frames.open({ containerId: "load", hostname: "127.0.0.1", idleTimeOut: 0 });
    frames.begin(0, { nextOutgoingId: 0, incomingWindow: 2 ** 31 - 1, outgoingWindow: 2 ** 31 - 1 });
    const ends = { sndSettleMode: 0, rcvSettleMode: 0 } as const;
    frames.attach(0, {
      ...ends,
      name: "out",
      handle: 0,
      role: "sender",
      source: { kind: "source", address: "q" },
      target: { kind: "target", address: "q" },
      initialDeliveryCount: 0,
    });
    frames.attach(0, {
      ...ends,
      name: "in",
      handle: 1,
      role: "receiver",
      source: { kind: "source", address: "q" },
      target: { kind: "target", address: "in" },
    });
    this.#flow(frames, 1000);
    this.#socket.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#socket.write(frames.take());
  }

  /** Sends so many messages and takes them back, settled; resolves to milliseconds. */
  async run(messages: number): Promise<number> {
    const start = performance.now();
    this.#wanted = this.#settled + messages;
    const finished = new Promise<void>((resolve) => (this.#done = resolve));
    this.#send();
    await finished;
    return performance.now() - start;
  }

  close(): void {
    this.#socket.destroy();
  }

  #flow(frames: FrameWriter, credit: number): void {
    frames.flow(0, {
      handle: 1,
      nextIncomingId: this.#received,
      incomingWindow: 2 ** 31 - 1,
      nextOutgoingId: this.#sent,
      outgoingWindow: 2 ** 31 - 1,
      deliveryCount: this.#received,
      linkCredit: credit,
    });
  }

  #take(chunk: Buffer): void {
    this.#reader.push(chunk);
    if (this.#phase === 0) {
      if (this.#reader.header() === undefined) return;
      this.#phase = 1;
    }
    for (let frame = this.#reader.frame(); frame !== undefined; frame = this.#reader.frame()) {
      if (frame.body[2] === code.transfer) this.#received++;
      else if (frame.body[2] === code.flow) {
        const reader = bodyReader(frame.body);
        readBody(reader);
        const { handle, deliveryCount = 0, linkCredit = 0 } = readFlow(reader);
        if (handle === 0) this.#credit = deliveryCount + linkCredit - this.#sent;
      } else if (frame.body[2] === code.close || frame.body[2] === code.detach)
        throw new Error(Buffer.from(frame.body).toString("latin1"));
    }
    this.#settle();
    this.#send();
  }

  #settle(): void {
    if (this.#received === this.#settled) return;
    const frames = new FrameWriter();
    frames.disposition(0, {
      role: "receiver",
      first: this.#settled,
      last: this.#received - 1,
      settled: true,
      state: accepted,
    });
    this.#flow(frames, 1000);
    this.#socket.write(frames.take());
    this.#settled = this.#received;
    if (this.#settled >= this.#wanted) this.#done();
  }

  #send(): void {
    const count = Math.min(this.#credit, 100, this.#wanted - this.#sent);
    if (count <= 0) return;
    const frames = new FrameWriter();
    const tag = new Uint8Array(4);
    for (let index = 0; index < count; index++) {
      const transfer = { handle: 0, deliveryId: this.#sent++, deliveryTag: tag, messageFormat: 0, settled: false };
      frames.transfer(0, { ...transfer, aborted: false }, { payload: this.#payload, from: 0, maxFrameSize: 65_536 });
    }
    this.#credit -= count;
    this.#socket.write(frames.take());
    if (this.#credit > 0) setImmediate(() => this.#send());
  }
}
