import { createConnection } from "node:net";
import { code } from "../../../src/wire/amqp/connection/performative.ts";
import { FrameStream } from "./frame-stream.ts";
import { deliveryIdAt, handles, opening, transferOfKilobyte } from "./load-frames.ts";

/** Sends messages one by one at a rate per second, when its parent says how many; each says when it was written. */
const [, , port, rate] = process.argv.map(Number);
const stream = new FrameStream();
const socket = createConnection({ port: port ?? 0, host: "127.0.0.1", noDelay: true });
const transfer = transferOfKilobyte("compact");
const sleeping = new Int32Array(new SharedArrayBuffer(4));
let sent = 0;
let credit = 0;

socket.on("data", (chunk: Buffer) =>
  stream.push(chunk, (body, performative) => {
    if (performative !== code.flow) return;
    const { deliveryCount, linkCredit, handle } = stream.flow(body);
    const wasEmpty = credit === 0;
    if (handle === handles.sender) credit = deliveryCount + linkCredit - sent;
    if (wasEmpty && sent === 0) process.send?.("ready");
  }),
);
socket.on("error", (error) => {
  throw error;
});
socket.write(opening("q", ["sender"]));

process.on("message", (messages) => {
  const start = performance.now();
  let due = 0;
  const step = (): void => {
    // Timers are too coarse for single messages, and to spin would take a processor from the server.
    const pause = start + (due * 1000) / (rate ?? 1) - performance.now();
    if (pause > 0) Atomics.wait(sleeping, 0, 0, pause);
    if (credit > 0) {
      due++;
      send();
    }
    if (due < Number(messages)) setImmediate(step);
  };
  step();
});
process.on("disconnect", () => process.exit());

function send(): void {
  const bytes = Buffer.from(transfer);
  credit--;
  bytes.writeUInt32BE(sent++, deliveryIdAt.compact);
  // The clock of the machine, which all processes share.
  bytes.writeBigUInt64BE(process.hrtime.bigint(), bytes.byteLength - 8);
  socket.write(bytes);
}
