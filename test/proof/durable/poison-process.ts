import { createEnvelope } from "../../../src/core/envelope/envelope.ts";
import { durableEngine } from "../../../src/broker/durable/index.ts";

/** Receives a message, and is killed by it: `node poison-process.ts DIRECTORY MAX_DELIVERY_COUNT`. */
const [directory = "", maxDeliveryCount] = process.argv.slice(2);
const queues = { poison: { maxDeliveryCount: Number(maxDeliveryCount) } };
const engine = await durableEngine({ directory, queues });
if ((await engine.peek("poison", { maxMessages: 1 })).length === 0) {
  const sender = await engine.openSender("poison");
  await sender.send([createEnvelope({ payload: new Uint8Array([1]) })]);
}
const receiver = await engine.openReceiver("poison", { receiveMode: "peekLock" });
const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
if (delivery !== undefined) process.kill(process.pid, "SIGKILL");
