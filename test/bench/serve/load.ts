import { createConnection, type Socket } from "node:net";
import { writeMessage } from "../../../src/amqp/index.ts";
import { accepted } from "../../../src/amqp/wire/delivery-state.ts";
import { FrameWriter } from "../../../src/amqp/wire/frame-writer.ts";
import { code } from "../../../src/amqp/wire/performative.ts";
import { FrameStream } from "./frame-stream.ts";

/** Messages of one write, at most. */
const batch = 100;
/** Messages that may come before the next flow. */
const receiveCredit = 1000;
/** Messages that are on their way at once, so that no queue grows. */
const inFlight = 2000;
const wide = 2 ** 31 - 1;

/** A load generator of frames that were encoded before, so that it is not what limits a server. */
export class Load {
  readonly #socket: Socket;
  readonly #stream = new FrameStream();
  /** {@link batch} transfers, whose delivery ids lie in their last bytes but one. */
  readonly #transfers: Buffer;
  readonly #transferSize: number;
  #credit = 0;
  #sent = 0;
  #received = 0;
  #settled = 0;
  #granted = receiveCredit;
  #wanted = 0;
  #firstId: number | undefined;
  #sentAt: number[] | undefined;
  #done: () => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;

  constructor(port: number, address = "q") {
    const payload = writeMessage({
      properties: { messageId: "0123456789abcdef" },
      body: { kind: "data", sections: [new Uint8Array(1024)] },
    });
    const one = transferOf(payload);
    this.#transferSize = one.byteLength;
    this.#transfers = Buffer.concat(Array.from({ length: batch }, () => one));
    this.#socket = createConnection({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#socket.on("error", (error) => this.#failed(error));
    this.#socket.on("close", () => this.#failed(new Error("The server has hung up.")));
    this.#socket.write(opening(address));
  }

  /** Sends so many messages and takes them back, settled; resolves to milliseconds. */
  async run(messages: number): Promise<number> {
    const start = performance.now();
    await this.#finished(messages, () => this.#send());
    return performance.now() - start;
  }

  /** Sends messages at a rate per second; resolves to the milliseconds that each took from sending to receiving. */
  async pace(messages: number, rate: number): Promise<readonly number[]> {
    const latencies: number[] = [];
    this.#sentAt = latencies;
    const first = this.#sent;
    const start = performance.now();
    const due = (): number => Math.min(messages, Math.floor(((performance.now() - start) * rate) / 1000) + 1);
    await this.#finished(messages, () => {
      const step = (): void => {
        // The event loop spins, since timers are too coarse for single messages.
        while (this.#sent - first < due() && this.#credit > 0) {
          latencies[this.#sent] = -performance.now();
          this.#write(1);
        }
        if (this.#sent - first < messages) setImmediate(step);
      };
      step();
    });
    this.#sentAt = undefined;
    return latencies.slice(first, first + messages);
  }

  close(): void {
    this.#failed = () => undefined;
    this.#socket.destroy();
  }

  #finished(messages: number, begin: () => void): Promise<void> {
    this.#wanted = this.#settled + messages;
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      begin();
    });
  }

  #take(chunk: Buffer): void {
    this.#stream.push(chunk, (body, performative) => {
      if (performative === code.transfer) this.#came(body);
      else if (performative === code.flow) {
        const { deliveryCount, linkCredit, handle } = this.#stream.flow(body);
        if (handle === 0) this.#credit = deliveryCount + linkCredit - this.#sent;
      } else if (performative === code.close || performative === code.detach || performative === code.end)
        this.#failed(new Error(Buffer.from(body).toString("latin1")));
    });
    this.#settle();
    if (this.#sentAt === undefined) this.#send();
  }

  #came(body: Buffer): void {
    this.#firstId ??= this.#stream.deliveryId(body);
    const sentAt = this.#sentAt?.[this.#received];
    if (sentAt !== undefined && this.#sentAt !== undefined) this.#sentAt[this.#received] = sentAt + performance.now();
    this.#received++;
  }

  #settle(): void {
    if (this.#received === this.#settled) return;
    const frames = new FrameWriter();
    const id = this.#firstId ?? 0;
    const range = { first: id + this.#settled, last: id + this.#received - 1 };
    frames.disposition(0, { role: "receiver", ...range, settled: true, state: accepted });
    if ((this.#granted - this.#received) * 2 <= receiveCredit) {
      this.#granted = this.#received + receiveCredit;
      frames.flow(0, {
        handle: 1,
        nextIncomingId: id + this.#received,
        incomingWindow: wide,
        nextOutgoingId: this.#sent,
        outgoingWindow: wide,
        deliveryCount: this.#received,
        linkCredit: receiveCredit,
      });
    }
    this.#socket.write(frames.take());
    this.#settled = this.#received;
    if (this.#settled >= this.#wanted) this.#done();
  }

  #send(): void {
    const count = Math.min(this.#credit, batch, this.#wanted - this.#sent, this.#settled + inFlight - this.#sent);
    if (count <= 0) return;
    this.#write(count);
    setImmediate(() => this.#send());
  }

  #write(count: number): void {
    const bytes = Buffer.from(this.#transfers.subarray(0, count * this.#transferSize));
    for (let index = 0; index < count; index++)
      bytes.writeUInt32BE(this.#sent++, index * this.#transferSize + deliveryIdAt);
    this.#credit -= count;
    this.#socket.write(bytes);
  }
}

/** Where the delivery id lies in a transfer: behind the frame's header, the descriptor, the list, the handle and its code. */
const deliveryIdAt = 8 + 3 + 3 + 1 + 1;

/** A transfer on handle 0 whose delivery id has room for any number. */
function transferOf(payload: Uint8Array): Buffer {
  const list = [0x00, 0x53, code.transfer, 0xc0, 13, 5, 0x43, 0x70, 0, 0, 0, 0, 0xa0, 2, 0, 0, 0x43, 0x42];
  const head = Buffer.from([0, 0, 0, 0, 2, 0, 0, 0, ...list]);
  const frame = Buffer.concat([head, payload]);
  frame.writeUInt32BE(frame.byteLength);
  return frame;
}

function opening(address: string): Uint8Array {
  const frames = new FrameWriter();
  frames.protocolHeader(0);
  frames.open({ containerId: "load", hostname: "127.0.0.1", idleTimeOut: 0, maxFrameSize: 65_536, channelMax: 10 });
  frames.begin(0, { nextOutgoingId: 0, incomingWindow: wide, outgoingWindow: wide });
  const ends = { sndSettleMode: 0, rcvSettleMode: 0 } as const;
  const far = { source: { kind: "source", address }, target: { kind: "target", address } } as const;
  frames.attach(0, { ...ends, ...far, name: "out", handle: 0, role: "sender", initialDeliveryCount: 0 });
  frames.attach(0, { ...ends, ...far, name: "in", handle: 1, role: "receiver" });
  frames.flow(0, {
    handle: 1,
    nextIncomingId: 0,
    incomingWindow: wide,
    nextOutgoingId: 0,
    outgoingWindow: wide,
    deliveryCount: 0,
    linkCredit: receiveCredit,
  });
  return frames.take();
}
