import { createServer, type Socket } from "node:net";
import { bodyReader } from "../../../src/wire/amqp/connection/composite.ts";
import { accepted } from "../../../src/wire/amqp/connection/delivery-state.ts";
import { FrameWriter } from "../../../src/wire/amqp/connection/frame-writer.ts";
import { code } from "../../../src/wire/amqp/connection/performative.ts";
import { readAttach, readBody } from "../../../src/wire/amqp/connection/read-performative.ts";
import { FrameStream } from "./frame-stream.ts";
import { handles, receiveCredit, transferHead, wide } from "./load-frames.ts";

/**
 * Hands every message on to whoever receives, without being a broker: nothing is kept, locked, counted or settled twice.
 * What remains is what sockets, Node and the machine take.
 */
let receiver: Socket | undefined;
let relayed = 0;

const server = createServer({ noDelay: true }, (socket) => {
  const stream = new FrameStream();
  const frames = new FrameWriter();
  let isOpen = false;
  socket.on("data", (chunk: Buffer) => {
    if (!isOpen) {
      isOpen = true;
      frames.protocolHeader(0);
      frames.open({ containerId: "relay", maxFrameSize: 65_536 });
      frames.begin(0, { remoteChannel: 0, nextOutgoingId: 0, incomingWindow: wide, outgoingWindow: wide });
    }
    stream.push(chunk, (body, performative) => {
      if (performative === code.attach && attach(frames, body)) receiver = socket;
      else if (performative === code.transfer) relay(frames, stream.deliveryId(body), body);
    });
    const bytes = frames.take();
    if (bytes.byteLength > 0) socket.write(bytes);
  });
  socket.on("error", () => undefined);
});

/** Whether it was the receiver who has attached. */
function attach(frames: FrameWriter, body: Uint8Array): boolean {
  const reader = bodyReader(body);
  readBody(reader);
  const { name, handle, role, source, target } = readAttach(reader);
  const isReceiver = role === "receiver";
  frames.attach(0, {
    name,
    handle,
    role: isReceiver ? "sender" : "receiver",
    sndSettleMode: 0,
    rcvSettleMode: 0,
    source,
    target,
    initialDeliveryCount: isReceiver ? 0 : undefined,
  });
  if (!isReceiver) grant(frames, 0);
  return isReceiver;
}

function relay(answers: FrameWriter, deliveryId: number, body: Buffer): void {
  const id = { first: deliveryId, last: deliveryId };
  answers.disposition(0, { role: "receiver", ...id, settled: true, state: accepted });
  if ((deliveryId + 1) % (receiveCredit / 2) === 0) grant(answers, deliveryId + 1);
  const frames = new FrameWriter();
  const deliveryTag = Buffer.alloc(16);
  deliveryTag.writeUInt32BE(relayed, 12);
  const transfer = { handle: handles.receiver, deliveryId: relayed++, deliveryTag, messageFormat: 0 };
  const payload = body.subarray(transferHead - 8);
  frames.transfer(0, { ...transfer, settled: false, aborted: false }, { payload, from: 0, maxFrameSize: 65_536 });
  receiver?.write(frames.take());
}

function grant(frames: FrameWriter, deliveryCount: number): void {
  frames.flow(0, {
    handle: handles.sender,
    nextIncomingId: deliveryCount,
    incomingWindow: wide,
    nextOutgoingId: 0,
    outgoingWindow: wide,
    deliveryCount,
    linkCredit: receiveCredit,
  });
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0 });
});
process.on("disconnect", () => process.exit());
