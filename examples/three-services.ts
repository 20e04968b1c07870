// Three services in one process over the memory engine; examples/shop/run-service.ts runs each in its own process.
import { createClient, createSerializer, json, memoryEngine } from "sobre";
import { OrderPlaced, OrderShipped, queues } from "./shop/messages.ts";
import { services } from "./shop/services.ts";

const engine = memoryEngine({ queues });
const client = createClient({ engine, closeEngine: true, serializer: createSerializer({ codecs: [json()] }) });
const running = Object.values(services).map((start) => start(client, ":memory:"));

// An order is sent twice under one id, and shipped once.
const orders = client.createSender("orders");
for (const orderId of ["A-1", "A-2", "A-2"]) {
  await orders.sendMessages(OrderPlaced.message({ orderId, cents: 2_995 }, { messageId: `placed-${orderId}` }));
}

const shipped = client.createReceiver("shipped", { messageTypes: [OrderShipped], onUnreadable: "dead-letter" });
const told = new Set<string>();
while (told.size < 2) {
  for (const message of await shipped.receiveMessages(10)) {
    told.add(message.body.orderId);
    await shipped.completeMessage(message);
  }
}
console.log("shipped:", [...told].toSorted().join(", "));

for (const service of running) await service.close();
await client.close();

// prints:
// shipped
