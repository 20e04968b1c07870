import { once } from "node:events";
import rhea from "rhea";
import { expect, it } from "vitest";
import { lockToken } from "../../src/core/engine/index.ts";
import { azureEngine } from "../../src/broker/azure/index.ts";
import { typed } from "../../src/core/values/typed-makers.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";

/** A broker that rhea makes: it takes every token, and gives what it was sent to whoever asks. */
async function rheaBroker(): Promise<{ readonly port: number; readonly settled: string[]; close(): Promise<void> }> {
  const container = rhea.create_container({ id: "rhea" });
  container.sasl_server_mechanisms.enable_anonymous();
  const senders = new Map<string, rhea.Sender>();
  const waiting: rhea.Message[] = [];
  const settled: string[] = [];
  const deliver = (): void => {
    const sender = senders.get("orders");
    while (sender?.sendable() === true) {
      const next = waiting.shift();
      if (next === undefined) return;
      sender.send(next);
    }
  };
  container.on("sender_open", ({ sender }: rhea.EventContext) => {
    if (sender === undefined) return;
    sender.set_source(sender.source);
    sender.set_target(sender.target);
    senders.set(sender.source.address ?? "", sender);
  });
  container.on("receiver_open", ({ receiver }: rhea.EventContext) => {
    receiver?.set_source(receiver.source);
    receiver?.set_target(receiver.target);
  });
  container.on("sendable", deliver);
  container.on("accepted", ({ delivery }: rhea.EventContext) => {
    settled.push("accepted");
    delivery?.update(true);
  });
  container.on("sender_draining", ({ sender }: rhea.EventContext) => {
    sender?.set_drained(true);
  });
  container.on("message", ({ message, receiver }: rhea.EventContext) => {
    if (message === undefined) return;
    if (receiver?.target.address !== "$cbs") {
      waiting.push(message);
      deliver();
      return;
    }
    const correlation_id = String(message.message_id);
    const properties = { "status-code": 202, "status-description": "Accepted" };
    senders.get("$cbs")?.send({ correlation_id, application_properties: properties, body: null });
  });
  const server = container.listen({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const address = "address" in server ? server.address() : undefined;
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { port, settled, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

it("sends, receives and settles over AMQP with a broker made of rhea", async () => {
  const broker = await rheaBroker();
  const engine = azureEngine({
    connectionString: `Endpoint=sb://127.0.0.1:${broker.port};SharedAccessKeyName=n;SharedAccessKey=k;UseDevelopmentEmulator=true`,
  });
  const message = createEnvelope({
    payload: new Uint8Array(200_000).fill(5),
    brokerProperties: { messageId: "a", contentType: "application/octet-stream" },
    applicationProperties: { weight: typed.uint(7) },
  });

  const sender = await engine.openSender("orders");
  await sender.send([message]);
  const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
  const [delivery] = await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 5000 });
  await engine.settle("orders", delivery?.lockToken ?? lockToken(""), { kind: "complete" });
  const none = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
  await engine.close();
  await broker.close();

  expect(delivery?.envelope.payload.byteLength).toBe(200_000);
  expect(delivery?.envelope.brokerProperties).toMatchObject({ messageId: "a" });
  expect(delivery?.envelope.applicationProperties["weight"]).toMatchObject({ type: "uint", value: 7 });
  expect(none).toEqual([]);
  expect(broker.settled).toContain("accepted");
});
