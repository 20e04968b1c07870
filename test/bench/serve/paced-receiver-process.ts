import { createConnection } from "node:net";
import { accepted } from "../../../src/wire/amqp/connection/delivery-state.ts";
import { FrameWriter } from "../../../src/wire/amqp/connection/frame-writer.ts";
import { code } from "../../../src/wire/amqp/connection/performative.ts";
import { FrameStream } from "./frame-stream.ts";
import { credit, opening, receiveCredit } from "./load-frames.ts";

/** Receives and settles messages of the paced sender; reports to its parent the milliseconds that each took, when all are there. */
const port = Number(process.argv[2]);
const stream = new FrameStream();
const socket = createConnection({ port, host: "127.0.0.1", noDelay: true });
const frames = new FrameWriter();
let received = 0;
let granted = receiveCredit;
let wanted = Infinity;
let latencies: number[] = [];

socket.on("data", (chunk: Buffer) => {
  const now = process.hrtime.bigint();
  stream.push(chunk, (body, performative) => {
    if (performative === code.attach) process.send?.("ready");
    if (performative !== code.transfer) return;
    latencies.push(Number(now - body.readBigUInt64BE(body.byteLength - 8)) / 1e6);
    const id = stream.deliveryId(body);
    frames.disposition(0, { role: "receiver", first: id, last: id, settled: true, state: accepted });
    received++;
    if ((granted - received) * 2 > receiveCredit) return;
    granted = received + receiveCredit;
    credit(frames, { sent: 0, received, nextIncomingId: id + 1 });
  });
  const bytes = frames.take();
  if (bytes.byteLength > 0) socket.write(bytes);
  if (latencies.length < wanted) return;
  process.send?.(latencies);
  latencies = [];
});
socket.on("error", (error) => {
  throw error;
});
socket.write(opening("q", ["receiver"]));

process.on("message", (messages) => (wanted = Number(messages)));
process.on("disconnect", () => process.exit());
