import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { ServiceBusClient } from "@azure/service-bus";
import { describe, expect, it } from "vitest";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { selfSignedCertificate, type ServerEvent, startServer } from "../../src/serve/server/index.ts";
import { codeOf } from "./azure-scenario.support.ts";

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  await using server = await startServer();
  return server.port;
}

/** A socket to the server whose end is awaited; resolves to what it was sent. */
async function until(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  socket.on("data", (part: Buffer) => parts.push(part));
  socket.on("error", () => undefined);
  await once(socket, "close");
  return Buffer.concat(parts);
}

describe("a server's sockets", () => {
  it("are gone within the handshake time-out when they say nothing, or not enough", async () => {
    await using server = await startServer({ limits: { handshakeTimeout: 300 } });
    const silent = Array.from({ length: 1000 }, () => connect(server.port, "127.0.0.1"));
    const slow = connect(server.port, "127.0.0.1");
    slow.write("AMQP\u0000\u0001\u0000\u0000");

    await Promise.all(silent.map((socket) => until(socket)));
    const told = await until(slow);

    expect(told.toString("latin1")).toContain("amqp:connection:forced");
  });

  it("are gone when a request comes too slowly", async () => {
    await using server = await startServer({ queues: ["q"], limits: { handshakeTimeout: 200 } });
    const request = "POST /q/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n";
    const parts = ["PO", request, `${request}\r\nbody`];

    const told = await Promise.all(
      parts.map((part) => {
        const socket = connect(server.port, "127.0.0.1");
        socket.write(part);
        return until(socket);
      }),
    );

    expect(told.map((text) => text.toString("latin1").split("\r\n")[0])).toEqual(
      parts.map(() => "HTTP/1.1 408 Request Timeout"),
    );
  });

  it("are gone when a TLS handshake does not go on", async () => {
    await using server = await startServer({ tls: selfSignedCertificate(), limits: { handshakeTimeout: 200 } });
    const socket = connect(server.port, "127.0.0.1");
    socket.write(Buffer.of(0x16));

    expect(await until(socket)).toHaveLength(0);
  });

  it("are cut by peers whose upgrade was refused, and nothing happens", async () => {
    await using server = await startServer();
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13";
    // The first one makes the server load what speaks HTTP.
    await (await fetch(`http://127.0.0.1:${server.port}/health`)).text();

    for (let turn = 0; turn < 10; turn++) {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => undefined);
      await once(socket, "connect");
      socket.write(`GET /nowhere HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n\r\n`);
      // The answer is there, the end is not.
      await once(socket, "data");
      socket.resetAndDestroy();
    }

    // An error that nobody listens to would have ended the process.
    expect((await fetch(`http://127.0.0.1:${server.port}/health`)).status).toBe(200);
  });

  it("name the reason to a peer that breaks the protocol, and close the socket", async () => {
    await using server = await startServer();
    const socket = connect(server.port, "127.0.0.1");
    socket.write(Buffer.concat([Buffer.from("AMQP\u0000\u0001\u0000\u0000"), Buffer.alloc(8, 255)]));
    socket.on("end", () => socket.end());

    const told = await until(socket);

    expect(told.toString("latin1")).toContain("amqp:connection:framing-error");
  });

  it("let a client be served on both addresses of localhost, on a free port", async () => {
    await using server = await startServer({ queues: ["q"] });
    const client = new ServiceBusClient(server.connectionString);

    await client.createSender("q").sendMessages({ body: 1 });
    await client.close();

    expect(server.port).toBeGreaterThan(0);
    expect((await server.engine.admin.getQueueRuntimeProperties("q")).activeMessageCount).toBe(1);
  });

  it("take no key but the configured one", async () => {
    await using server = await startServer({ queues: ["q"], keys: { root: "secret" } });
    const good = new ServiceBusClient(server.connectionString);
    const bad = new ServiceBusClient(
      server.connectionString.replace("SharedAccessKey=secret", "SharedAccessKey=SAS_KEY_VALUE"),
      {
        retryOptions: { maxRetries: 0 },
      },
    );

    await good.createSender("q").sendMessages({ body: 1 });
    const refused = bad.createSender("q").sendMessages({ body: 1 });

    await expect(refused).rejects.toMatchObject({ code: "UnauthorizedAccess" });
    await Promise.all([good.close(), bad.close()]);
  });

  it("let a key do what its rights say", async () => {
    await using server = await startServer({
      queues: ["q"],
      keys: { reader: { key: "secret", rights: ["Listen"] } },
    });
    const client = new ServiceBusClient(server.connectionString, { retryOptions: { maxRetries: 0 } });

    const peeked = await client.createReceiver("q").peekMessages(1);
    const refused = client.createSender("q").sendMessages({ body: 1 });

    expect(peeked).toEqual([]);
    await expect(refused).rejects.toMatchObject({ code: "UnauthorizedAccess" });
    await client.close();
  });

  it("serve HTTP and AMQP on one port when both are given the same", async () => {
    const port = await freePort();

    await using server = await startServer({ port, httpPort: port });

    expect((await fetch(`http://127.0.0.1:${server.httpPort}/health`)).status).toBe(200);
    expect([server.port, server.httpPort]).toEqual([port, port]);
  });

  it("are served when the engine behind them has gone, with nothing but refusals", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    await using server = await startServer({ engine });
    await engine.close();
    const client = new ServiceBusClient(server.connectionString, { retryOptions: { maxRetries: 0 } });

    const code = await codeOf(client.createSender("q").sendMessages({ body: 1 }));
    // A promise that nobody listens to would end the process now.
    await client.close();
    const { status } = await fetch(`http://127.0.0.1:${server.port}/q/messages`, { method: "POST", body: "a" });

    expect([code, status]).toEqual(["GeneralError", 409]);
  });

  it("let whoever runs the server know what was refused and why", async () => {
    const events: string[] = [];
    const onEvent = ({ kind, text }: ServerEvent): void =>
      void (kind === "refused" && events.push(text.replace(/ TrackingId: [\w-]+$/, "")));
    await using server = await startServer({ queues: ["q"], keys: { root: "secret" }, onEvent });
    const clients = [
      server.connectionString,
      server.connectionString.replace("Key=secret", "Key=wrong"),
      server.connectionString.replace("UseDevelopmentEmulator=true", ""),
    ].map((text) => new ServiceBusClient(text, { retryOptions: { maxRetries: 0 } }));

    const codes = await Promise.all(
      clients.map((client, index) =>
        codeOf(client.createSender(index === 0 ? "missing" : "q").sendMessages({ body: 1 })),
      ),
    );
    await Promise.all(clients.map((client) => client.close()));

    expect(codes.slice(0, 2)).toEqual(["MessagingEntityNotFound", "UnauthorizedAccess"]);
    expect(events.toSorted()).toEqual([
      "refused: TLS needs a certificate. Without one, add UseDevelopmentEmulator=true to the connection string.",
      "refused: The key name or the signature of the token is wrong. Check the connection string.",
      "refused: The messaging entity 'missing' could not be found. Create it, or check its name.",
    ]);
  });

  it("create what is missing when asked to", async () => {
    const events: string[] = [];
    await using server = await startServer({ autoCreate: true, onEvent: ({ text }) => events.push(text) });
    const client = new ServiceBusClient(server.connectionString);

    await client.createReceiver("t", "s").peekMessages(1);
    await client.createSender("t").sendMessages({ body: 1 });
    const [message] = await client.createReceiver("t", "s").receiveMessages(1);
    const session = await client.acceptSession("sessions", "a");
    await client.createSender("sessions").sendMessages({ body: 2, sessionId: "a" });
    const [inSession] = await session.receiveMessages(1);
    await client.close();

    const http = `http://127.0.0.1:${server.port}`;
    const sent = await fetch(`${http}/over-http/messages`, { method: "POST", body: "a" });
    const none = await fetch(`${http}/t/subscriptions/new/messages/head?timeout=0`, { method: "DELETE" });

    expect([message?.body, inSession?.body]).toEqual([1, 2]);
    expect([sent.status, none.status]).toEqual([201, 204]);
    expect(events).toEqual(expect.arrayContaining(["created t/Subscriptions/s", "created over-http"]));
  });
});
