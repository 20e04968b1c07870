import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { createClient } from "../../../src/client/create-client.ts";
import { createSerializer, type PayloadStage } from "../../../src/core/codec/index.ts";
import type { Engine } from "../../../src/core/engine/index.ts";
import { azureEngine } from "../../../src/broker/azure/index.ts";
import { testEngine } from "../../../src/client/testing/index.ts";
import { rejection } from "../../refusal.support.ts";
import { advancedUntil, setup } from "./setup.support.ts";

const never = (): Promise<never> => new Promise(() => undefined);

/** An engine whose broker has stopped: nothing is ever answered. */
function stopped(): Engine {
  const { engine } = testEngine({ queues: ["orders"] });
  const link = { maxMessageSize: 1e6, send: never, receive: never, close: async () => undefined };
  return {
    ...engine,
    openSender: async () => link,
    openReceiver: async () => link,
    acceptSession: never,
    peek: never,
    schedule: never,
    cancel: never,
    receiveDeferred: never,
    deleteMessages: never,
    begin: never,
  };
}

/** Every call that waits for a broker, with its options. */
const calls: Readonly<
  Record<string, (client: ReturnType<typeof createClient>, abortSignal?: AbortSignal) => Promise<unknown>>
> = {
  sendMessages: (client, abortSignal) => client.createSender("orders").sendMessages({ body: 1 }, { abortSignal }),
  sendEnvelopes: (client, abortSignal) =>
    client
      .createSender("orders")
      .sendEnvelopes(createSerializer({ codecs: [json()] }).serialize({ body: 1 }), { abortSignal }),
  scheduleMessages: (client, abortSignal) =>
    client.createSender("orders").scheduleMessages({ body: 1 }, new Date(9e12), { abortSignal }),
  cancelScheduledMessages: (client, abortSignal) =>
    client.createSender("orders").cancelScheduledMessages(1n, { abortSignal }),
  peekMessages: (client, abortSignal) => client.createReceiver("orders").peekMessages(1, { abortSignal }),
  receiveDeferredMessages: (client, abortSignal) =>
    client.createReceiver("orders").receiveDeferredMessages(1n, { abortSignal }),
  deleteMessages: (client, abortSignal) => client.createReceiver("orders").deleteMessages(1, { abortSignal }),
  acceptSession: (client, abortSignal) => client.acceptSession("orders", "a", { abortSignal, maxWaitTimeInMs: 0 }),
};

describe("a broker that has stopped", () => {
  it.each(Object.entries(calls))("ends %s as soon as its signal is aborted", async (_name, call) => {
    const { client } = setup({ queues: ["orders"] }, { engine: stopped() });
    const stop = new AbortController();

    const calling = rejection(call(client, stop.signal));
    setImmediate(() => stop.abort());

    expect((await calling).code).toBe("Aborted");
  });

  it.each(Object.entries(calls))("ends each try of %s by timeoutInMs", async (_name, call) => {
    const { client, clock } = setup(
      { queues: ["orders"] },
      { engine: stopped(), retryOptions: { maxRetries: 0, timeoutInMs: 1_000 } },
    );
    const start = clock.now();

    const error = await advancedUntil(clock, 100, rejection(call(client)));

    expect(error).toMatchObject({ code: "ServiceTimeout", retryable: true });
    expect(clock.now() - start).toBeLessThanOrEqual(1_200);
  });

  it("ends receiveMessages a time-out after its wait", async () => {
    const { client, clock } = setup(
      { queues: ["orders"] },
      { engine: stopped(), retryOptions: { maxRetries: 0, timeoutInMs: 1_000 } },
    );
    const receiving = client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 2_000 });

    expect((await advancedUntil(clock, 100, rejection(receiving))).code).toBe("ServiceTimeout");
  });
});

it("a stage that waits endlessly is ended by the signal and by the time-out", async () => {
  const stage: PayloadStage = { name: "stuck", beforeSend: never };
  const retryOptions = { maxRetries: 0, timeoutInMs: 1_000 };
  const { client, clock } = setup({ queues: ["orders"] }, { stages: [stage], retryOptions });
  const stop = new AbortController();
  const sender = client.createSender("orders");

  const aborted = rejection(sender.sendMessages({ body: 1 }, { abortSignal: stop.signal }));
  stop.abort();

  expect((await aborted).code).toBe("Aborted");
  expect((await advancedUntil(clock, 100, rejection(sender.sendMessages({ body: 1 })))).code).toBe("ServiceTimeout");
});

describe("a socket that takes everything and answers nothing", () => {
  let server: Server | undefined;
  const sockets = new Set<Socket>();
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server?.close(done));
  });

  it("bounds a send, its abort and the closing of the client", async () => {
    server = createServer((socket) => void sockets.add(socket.on("error", () => undefined)));
    await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const connectionString = `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true`;
    const engine = azureEngine({ connectionString, timeout: 100 });
    const retryOptions = { maxRetries: 1, timeoutInMs: 100, retryDelayInMs: 1 };
    const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }), retryOptions });
    const sender = client.createSender("orders");
    const stop = new AbortController();

    const aborted = rejection(sender.sendMessages({ body: 1 }, { abortSignal: stop.signal }));
    setImmediate(() => stop.abort());

    expect((await aborted).code).toBe("Aborted");
    expect(await rejection(sender.sendMessages({ body: 1 }))).toMatchObject({ retryable: true });
    await client.close();
    await engine.close();
  });
});
