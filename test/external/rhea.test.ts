import { once } from "node:events";
import rhea from "rhea";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Server, startServer } from "../../src/serve/server/index.ts";

/** The delivery of an event, which rhea declares as one that may be missing. */
function deliveryOf({ delivery, message }: rhea.EventContext): {
  readonly delivery: rhea.Delivery;
  readonly message: rhea.Message;
} {
  if (delivery === undefined || message === undefined) throw new Error("The event has no message.");
  return { delivery, message };
}

/** The next event of that name. */
async function next(emitter: NodeJS.EventEmitter, name: string): Promise<rhea.EventContext> {
  const [context]: rhea.EventContext[] = await once(emitter, name);
  if (context === undefined) throw new Error(`The event ${name} has no context.`);
  return context;
}

describe("rhea", () => {
  let server: Server;
  let connection: rhea.Connection;
  const container = rhea.create_container({ id: "rhea" });

  beforeAll(async () => {
    server = await startServer({ queues: ["q", "settled", "drained", "refused"] });
    connection = container.connect({ port: server.port, host: "127.0.0.1", username: "anonymous", reconnect: false });
    await next(connection, "connection_open");
  });

  afterAll(async () => {
    const closed = next(connection, "connection_close");
    connection.close();
    await closed;
    await server.close();
  });

  it("sends, hears that it was accepted, receives and accepts", async () => {
    const sender = connection.open_sender("q");
    await next(sender, "sendable");

    sender.send({ message_id: "1", subject: "hello", application_properties: { a: 1 }, body: { text: "ñ" } });
    await next(sender, "accepted");
    const receiver = connection.open_receiver({ source: "q", autoaccept: false, credit_window: 1 });
    const { delivery, message } = deliveryOf(await next(receiver, "message"));
    delivery.accept();
    receiver.close();
    await next(receiver, "receiver_close");

    expect(message).toMatchObject({ message_id: "1", subject: "hello", body: { text: "ñ" }, delivery_count: 0 });
    expect(message.application_properties).toEqual({ a: 1 });
    expect((await server.engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(0);
  });

  it("sends and receives hundreds of messages, in order and across several frames", async () => {
    const sender = connection.open_sender("settled");
    const large = "x".repeat(200_000);
    const bodies: unknown[] = [];
    await next(sender, "sendable");

    for (let index = 0; index < 300; index++) sender.send({ body: index === 150 ? large : index });
    const receiver = connection.open_receiver({ source: "settled", snd_settle_mode: 1, credit_window: 50 });
    await new Promise<void>((resolve) => {
      receiver.on("message", (context: rhea.EventContext) => {
        bodies.push(deliveryOf(context).message.body);
        if (bodies.length === 300) resolve();
      });
    });
    receiver.close();
    await next(receiver, "receiver_close");

    expect(bodies).toEqual(Array.from({ length: 300 }, (_, index) => (index === 150 ? large : index)));
    expect((await server.engine.admin.getQueueRuntimeProperties("settled")).totalMessageCount).toBe(0);
  });

  it("gets its credit back when it drains an empty queue", async () => {
    const receiver = connection.open_receiver({ source: "drained", credit_window: 0 });
    await next(receiver, "receiver_open");

    receiver.drain_credit();
    receiver.add_credit(10);
    const { receiver: drained } = await next(receiver, "receiver_drained");
    receiver.close();
    await next(receiver, "receiver_close");

    expect(drained?.name).toBe(receiver.name);
  });

  it("dead-letters what it rejects, and gets again what it releases", async () => {
    const sender = connection.open_sender("refused");
    await next(sender, "sendable");
    sender.send({ message_id: "again", body: 1 });
    const receiver = connection.open_receiver({ source: "refused", autoaccept: false, credit_window: 1 });

    const first = deliveryOf(await next(receiver, "message"));
    first.delivery.release();
    const second = deliveryOf(await next(receiver, "message"));
    second.delivery.reject({ condition: "com.microsoft:dead-letter", description: "no" });
    receiver.close();
    await next(receiver, "receiver_close");

    const { totalMessageCount, deadLetterMessageCount } =
      await server.engine.admin.getQueueRuntimeProperties("refused");
    expect(second.message.delivery_count).toBe(0);
    expect([totalMessageCount, deadLetterMessageCount]).toEqual([1, 1]);
  });

  it("learns why a link to a missing entity is refused", async () => {
    const receiver = connection.open_receiver("missing");

    const { receiver: refused } = await next(receiver, "receiver_error");

    expect(refused?.error).toMatchObject({ condition: "amqp:not-found" });
  });
});
