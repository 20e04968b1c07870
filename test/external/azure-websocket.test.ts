import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { ServiceBusClient } from "@azure/service-bus";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { selfSignedCertificate, startServer } from "../../src/serve/server/index.ts";
import { next } from "./azure-scenario.support.ts";

it("serves the official client over WebSockets, with TLS", async () => {
  const before = getCACertificates("default");
  const tls = selfSignedCertificate();
  setDefaultCACertificates([...before, tls.cert]);
  await using server = await startServer({ tls, queues: ["q"] });
  const webSocketOptions = { webSocket: WebSocket, webSocketConstructorOptions: { ca: tls.cert } };
  const client = new ServiceBusClient(server.connectionString, {
    webSocketOptions,
    retryOptions: { maxRetries: 0, timeoutInMs: 4000 },
  });

  await client.createSender("q").sendMessages({ body: "over a web socket" });
  const message = await next(client.createReceiver("q"));
  await client.close();
  setDefaultCACertificates(before);

  expect(message.body).toBe("over a web socket");
});
