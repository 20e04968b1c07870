import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { FrameWriter } from "../../../src/wire/amqp/connection/frame-writer.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { AmqpMap } from "../../../src/core/values/typed.ts";

/** Connections that do nothing but be there. */
export class Crowd {
  readonly #sockets: Socket[] = [];

  /** Opens connections with one link each. */
  async connections(port: number, count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      await this.#join(port, (frames) => {
        frames.begin(0, begin);
        attach(frames, 0, 0, new AmqpMap([]));
      });
    }
  }

  /** Opens links that wait for the next session of the queue `s`. */
  async sessionReceivers(port: number, links: number): Promise<void> {
    const filter = new AmqpMap([[typed.symbol("com.microsoft:session-filter"), null]]);
    for (let opened = 0; opened < links; opened += 100) {
      await this.#join(port, (frames) => {
        frames.begin(0, begin);
        for (let handle = 0; handle < 100; handle++) attach(frames, 0, handle, filter);
      });
    }
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #join(port: number, links: (frames: FrameWriter) => void): Promise<void> {
    const socket = connect(port, "127.0.0.1");
    this.#sockets.push(socket);
    const frames = new FrameWriter();
    frames.protocolHeader(0);
    frames.open({ containerId: `crowd-${crypto.randomUUID()}`, hostname: "127.0.0.1" });
    links(frames);
    socket.write(frames.take());
    await once(socket, "data");
  }
}

const begin = { nextOutgoingId: 0, incomingWindow: 100, outgoingWindow: 100 };

function attach(frames: FrameWriter, channel: number, handle: number, filter: AmqpMap): void {
  const isSession = filter.size > 0;
  frames.attach(channel, {
    name: `${channel}-${handle}`,
    handle,
    role: "receiver",
    sndSettleMode: 0,
    rcvSettleMode: 1,
    source: { kind: "source", address: isSession ? "s" : "q", ...(isSession ? { filter } : {}) },
    target: { kind: "target", address: "here" },
    properties: isSession ? new AmqpMap([[typed.symbol("com.microsoft:timeout"), typed.uint(600_000)]]) : undefined,
  });
}
