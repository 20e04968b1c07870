import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { createInspector } from "../../../src/serve/inspector/index.ts";

// An inspector over a queue of dead letters, in a process of its own; it reports its longest pause and its processor time when it is asked.

const count = Number(process.argv[2]);
const atOnce = 1000;
const reasons = ["Unreadable", "TooLate", "PaymentDeclined", "MaxDeliveryCountExceeded", "NoSuchCustomer"];

const engine = memoryEngine({ queues: ["orders"] });
const sender = await engine.openSender("orders");
const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
for (let first = 0; first < count; first += atOnce) {
  await sender.send(Array.from({ length: atOnce }, (_, index) => createEnvelope(order(first + index))));
  for (const { lockToken, sequenceNumber } of await receiver.receive({ maxMessages: atOnce, maxWaitTimeInMs: 0 })) {
    const deadLetterReason = reasons[Number(sequenceNumber % 5n)];
    if (lockToken !== undefined) await engine.settle("orders", lockToken, { kind: "deadLetter", deadLetterReason });
  }
}
const inspector = createInspector({ engine, serializer: createSerializer({ codecs: [json()] }) });
const server = createServer(inspector.listener).listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : undefined });
});

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ pause: delay.max / 1e6, cpu: (user + system) / 1000 });
  delay.reset();
});
process.on("disconnect", () => process.exit());

function order(id: number): Parameters<typeof createEnvelope>[0] {
  const lines = [{ sku: `SKU-${id % 977}`, quantity: 1 + (id % 7), price: 19.99 }];
  return {
    payload: Buffer.from(
      JSON.stringify({ id, customer: { id: id % 5000, name: "Lucía Gómez" }, lines, total: 228.49 }),
    ),
    brokerProperties: { contentType: "application/json", messageId: `order-${id}`, subject: "order.placed" },
    applicationProperties: { "sobre-type": `acme.order.${id % 3}`, "sobre-version": 1 },
  };
}
