// Message types: a schema per version, and a handler that only ever sees the latest one.
import { createClient, createSerializer, defineMessage, json, memoryEngine } from "sobre";
import { jsonSchema } from "sobre/json-schema";

const Order = defineMessage(
  "acme.order",
  {
    1: jsonSchema({ type: "object", properties: { total: { type: "number" } }, required: ["total"] }),
    2: jsonSchema({
      type: "object",
      properties: { cents: { type: "integer" }, currency: { enum: ["EUR", "USD"] } },
      required: ["cents", "currency"],
    }),
  },
  { upcast: { 1: ({ total }) => ({ cents: Math.round(total * 100), currency: "EUR" as const }) } },
);

const engine = memoryEngine({ queues: ["orders"] });
const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }) });
const sender = client.createSender("orders");
await sender.sendMessages(Order.message({ cents: 999, currency: "USD" }));
const old = { "sobre-type": "acme.order", "sobre-version": 1 }; // from a service that is not as far yet
await sender.sendMessages({ body: { total: 12.5 }, applicationProperties: old });
await sender.sendMessages({ body: { total: "12.5" }, applicationProperties: old });

let resolve = (): void => undefined;
const done = new Promise<void>((end) => (resolve = end));
client.startProcessor(
  "orders",
  {
    processMessage: ({ body, messageVersion }) =>
      console.log(body.cents, body.currency, "from version", messageVersion),
    processError({ code, error }) {
      console.log(code, error instanceof Error ? error.message : "");
      resolve();
    },
  },
  { messageTypes: [Order] },
);
await done;
await client.close();

// prints:
// 999 USD from version 2
// 1250 EUR from version 1
// ValidationFailed The body is not acme.order version 1: $.total must be number.
