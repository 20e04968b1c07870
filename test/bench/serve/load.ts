import { createConnection, type Socket } from "node:net";
import { accepted } from "../../../src/wire/amqp/connection/delivery-state.ts";
import { FrameWriter } from "../../../src/wire/amqp/connection/frame-writer.ts";
import { code } from "../../../src/wire/amqp/connection/performative.ts";
import { FrameStream } from "./frame-stream.ts";
import {
  credit,
  deliveryIdAt,
  handles,
  officialDisposition,
  opening,
  receiveCredit,
  type Shape,
  transferOfKilobyte,
} from "./load-frames.ts";

/** Messages of one write, at most. */
const batch = 100;
/** Messages that are on their way at once, so that no queue grows. */
const inFlight = 2000;

/** A load generator of frames that were encoded before, so that it is not what limits a server. */
export class Load {
  readonly #socket: Socket;
  readonly #shape: Shape;
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
  #done: () => void = () => undefined;
  #failed: (error: Error) => void = () => undefined;

  constructor(port: number, shape: Shape, address = "q") {
    this.#shape = shape;
    const one = transferOfKilobyte(shape);
    this.#transferSize = one.byteLength;
    this.#transfers = Buffer.concat(Array.from({ length: batch }, () => one));
    this.#socket = createConnection({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#socket.on("error", (error) => this.#failed(error));
    this.#socket.on("close", () => this.#failed(new Error("The server has hung up.")));
    this.#socket.write(opening(address, ["sender", "receiver"]));
  }

  /** Sends so many messages and takes them back, settled; resolves to milliseconds. */
  async run(messages: number): Promise<number> {
    const start = performance.now();
    await this.#finished(messages, () => this.#send());
    return performance.now() - start;
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
        if (handle === handles.sender) this.#credit = deliveryCount + linkCredit - this.#sent;
      } else if (performative === code.close || performative === code.detach || performative === code.end)
        this.#failed(new Error(Buffer.from(body).toString("latin1")));
    });
    this.#settle();
    this.#send();
  }

  #came(body: Buffer): void {
    this.#firstId ??= this.#stream.deliveryId(body);
    this.#received++;
  }

  #settle(): void {
    if (this.#received === this.#settled) return;
    const frames = new FrameWriter();
    const id = this.#firstId ?? 0;
    const range = { first: id + this.#settled, last: id + this.#received - 1 };
    if (this.#shape !== "compact") this.#socket.write(officialDisposition(range.first, range.last));
    else frames.disposition(0, { role: "receiver", ...range, settled: true, state: accepted });
    if ((this.#granted - this.#received) * 2 <= receiveCredit) {
      this.#granted = this.#received + receiveCredit;
      credit(frames, { sent: this.#sent, received: this.#received, nextIncomingId: id + this.#received });
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
      bytes.writeUInt32BE(this.#sent++, index * this.#transferSize + deliveryIdAt[this.#shape]);
    this.#credit -= count;
    this.#socket.write(bytes);
  }
}
