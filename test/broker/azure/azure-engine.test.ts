import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { encodeMessage } from "../../../src/wire/amqp/message/encode-message.ts";
import { tagOf } from "../../../src/wire/amqp/message/lock-tag.ts";
import { SendingLink } from "../../../src/wire/amqp/connection/index.ts";
import { lockToken } from "../../../src/core/engine/index.ts";
import { azureEngine } from "../../../src/broker/azure/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { selfSignedCertificate, startServer } from "../../../src/serve/server/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { rejection } from "../../refusal.support.ts";
import { open, ScriptedBroker } from "./frames.support.ts";
import { serveAzure } from "./served.support.ts";

const connectionString =
  "Endpoint=sb://broker.test:5999;SharedAccessKeyName=name;SharedAccessKey=key;UseDevelopmentEmulator=true";
const message = createEnvelope({ payload: Uint8Array.of(1), brokerProperties: { messageId: "a" } });
const token = lockToken("00112233-4455-6677-8899-aabbccddeeff");

describe("what the engine asks a broker for", () => {
  it("is a token for the entity, as the service wants it", async () => {
    const broker = new ScriptedBroker();
    const connectionClock = new ManualClock(1_800_000_000_000);
    const engine = azureEngine({ connectionString, transport: broker.transport, connectionClock });

    await engine.openSender("orders");

    const [claim] = broker.claims;
    expect([...(claim?.applicationProperties ?? [])]).toEqual([
      ["operation", "put-token"],
      ["type", "servicebus.windows.net:sastoken"],
      ["name", "sb://broker.test:5999/orders"],
    ]);
    expect(claim?.properties).toMatchObject({ to: "$cbs", replyTo: expect.stringMatching(/^cbs-/) });
    expect(claim?.body).toMatchObject({
      kind: "value",
      value: expect.stringMatching(
        /^SharedAccessSignature sr=sb%3A%2F%2Fbroker\.test%3A5999%2Forders&sig=[^&]+&se=1800003600&skn=name$/,
      ),
    });
    await engine.close();
  });

  it("is a new token before the old one ends, and none after it was closed", async () => {
    const broker = new ScriptedBroker();
    const connectionClock = new ManualClock();
    const engine = azureEngine({ connectionString, transport: broker.transport, connectionClock });
    await engine.openSender("orders");

    await connectionClock.advance(44 * 60_000);
    await engine.openSender("orders");
    const before = broker.claims.length;
    await connectionClock.advance(60_000);
    await engine.openSender("other");
    const after = broker.claims.length;
    await engine.close();
    await connectionClock.advance(3_600_000);

    expect([before, after, broker.claims.length]).toEqual([1, 3, 3]);
  });

  it("are links with the modes of the official clients", async () => {
    const broker = new ScriptedBroker();
    const engine = azureEngine({ connectionString, transport: broker.transport });

    await engine.openSender("orders");
    await engine.openReceiver("orders", { receiveMode: "peekLock" });
    await engine.openReceiver("orders/$DeadLetterQueue", { receiveMode: "receiveAndDelete" });
    await engine.openSender("orders", { via: "through" });

    expect(broker.links.map(({ remote }) => remote)).toMatchObject([
      { role: "sender", target: { address: "orders" } },
      { role: "receiver", source: { address: "orders" }, sndSettleMode: 0, rcvSettleMode: 1 },
      { role: "receiver", source: { address: "orders/$DeadLetterQueue" }, sndSettleMode: 1, rcvSettleMode: 0 },
      { role: "sender", target: { address: "through" } },
    ]);
    const [destination] = [...(broker.links[3]?.remote?.properties ?? [])];
    expect(destination?.[1]).toBe("orders");
    await engine.close();
  });

  it("is a session by a plain filter, or the next one with a time to wait", async () => {
    const broker = new ScriptedBroker();
    const engine = azureEngine({ connectionString, transport: broker.transport });
    const asked: SendingLink["remote"][] = [];
    broker.onLink = (link) => {
      asked.push(link.remote);
      link.refuse({ condition: "com.microsoft:session-cannot-be-locked", description: "held elsewhere" });
    };

    const named = { sessionId: "s", receiveMode: "peekLock", maxWaitTimeInMs: 0 } as const;
    const error = await rejection(engine.acceptSession("orders", named));
    await rejection(engine.acceptSession("orders", { ...named, sessionId: undefined, maxWaitTimeInMs: 1500 }));

    expect(error).toMatchObject({ code: "SessionCannotBeLocked", message: "held elsewhere" });
    const [first, second] = asked;
    expect([...(first?.source?.filter ?? [])]).toMatchObject([[{ value: "com.microsoft:session-filter" }, "s"]]);
    expect([...(second?.source?.filter ?? [])]).toMatchObject([[{ value: "com.microsoft:session-filter" }, null]]);
    expect([...(second?.properties ?? [])]).toMatchObject([[{ value: "com.microsoft:timeout" }, { value: 1500 }]]);
    await engine.close();
  });
});

describe("a connection that is lost", () => {
  it("rejects waiting calls as retryable, and is created again by the next use", async () => {
    const broker = new ScriptedBroker();
    const engine = azureEngine({ connectionString, transport: broker.transport });
    const sender = await engine.openSender("orders");
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    const lost = [
      rejection(sender.send([message])),
      rejection(receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 })),
    ];

    broker.cut();
    const errors = await Promise.all(lost);
    broker.onLink = (link) => open(link, ({ id }, receiving) => receiving.settle(id, { kind: "accepted" }));
    await sender.send([message]);

    expect(errors.map(({ code, retryable }) => [code, retryable])).toEqual([
      ["ServiceCommunicationProblem", true],
      ["ServiceCommunicationProblem", true],
    ]);
    expect(broker.connections).toBe(2);
    await engine.close();
  });

  it("is tried again after pauses that grow while nobody answers", async () => {
    const connectionClock = new ManualClock();
    let tries = 0;
    const transport = (): Promise<never> => {
      tries++;
      return Promise.reject(new SobreError("ServiceCommunicationProblem", "Nobody is there."));
    };
    const engine = azureEngine({ connectionString, transport, connectionClock });

    await rejection(engine.openSender("orders"));
    const second = rejection(engine.openSender("orders"));
    await connectionClock.advance(199);
    const early = tries;
    await connectionClock.advance(1);
    await second;
    const third = rejection(engine.openSender("orders"));
    await connectionClock.advance(399);
    const stillEarly = tries;
    await connectionClock.advance(1);
    await third;

    expect([early, stillEarly, tries]).toEqual([1, 2, 3]);
  });

  it("gives up a link whose drain is not answered, with what came until then", async () => {
    const broker = new ScriptedBroker();
    const [clock, connectionClock] = [new ManualClock(), new ManualClock()];
    const engine = azureEngine({ connectionString, transport: broker.transport, clock, connectionClock });
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    const [link] = broker.links;

    const receiving = receiver.receive({ maxMessages: 5, maxWaitTimeInMs: 60_000 });
    await expect.poll(() => (link instanceof SendingLink ? link.credit : 0)).toBe(5);
    if (link instanceof SendingLink) link.send({ payload: encodeMessage(message), tag: tagOf(token), settled: false });
    await expect.poll(() => (link instanceof SendingLink ? link.drain : false)).toBe(true);
    await connectionClock.advance(5000);

    expect(await receiving).toMatchObject([{ lockToken: token }]);
    await engine.close();
  });
});

describe("a message that was received and is sent on", () => {
  it("leaves behind what the broker said about its delivery, and keeps its bare bytes", async () => {
    const served = await serveAzure({ queues: ["first"] });
    const broker = new ScriptedBroker();
    const sent: Uint8Array[] = [];
    broker.onLink = (link) =>
      open(link, ({ id, payload }, receiving) => {
        sent.push(payload);
        receiving.settle(id, { kind: "accepted" });
      });
    const elsewhere = azureEngine({ connectionString, transport: broker.transport });
    await (await served.engine.openSender("first")).send([message]);
    const receiver = await served.engine.openReceiver("first", { receiveMode: "receiveAndDelete" });
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });

    await (await elsewhere.openSender("second")).send([delivery?.envelope ?? message]);

    expect(sent.map((bytes) => Buffer.from(bytes).toString("hex"))).toEqual([
      Buffer.from(encodeMessage(message)).toString("hex"),
    ]);
    await elsewhere.close();
    await served.close();
  });
});

describe("the ways to a server", () => {
  it("lead over WebSockets, with messages of many frames", async () => {
    await using server = await startServer({ queues: { q: {} } });
    const engine = azureEngine({
      connectionString: `${server.connectionString};TransportType=AmqpWebSockets`,
    });
    const large = createEnvelope({ payload: new Uint8Array(900_000).fill(7) });

    await (await engine.openSender("q")).send([large]);
    const receiver = await engine.openReceiver("q", { receiveMode: "receiveAndDelete" });
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    await engine.close();

    expect(Buffer.compare(delivery?.envelope.payload ?? new Uint8Array(0), large.payload)).toBe(0);
  });

  it.each<readonly [string, boolean, RegExp]>([
    ["whose certificate nobody trusts", true, /certificate is self-signed.*NODE_EXTRA_CA_CERTS/],
    ["that speaks no TLS", false, /does not support TLS/],
  ])("say why no WebSocket opens to a server %s", async (_what, isSecure, why) => {
    await using server = await startServer({ tls: isSecure ? selfSignedCertificate() : undefined });
    const secure = server.connectionString.replace(";UseDevelopmentEmulator=true", "");
    const engine = azureEngine({ connectionString: `${secure};TransportType=AmqpWebSockets` });

    const error = await rejection(engine.openSender("q"));
    await engine.close();

    expect(error.code).toBe("ServiceCommunicationProblem");
    expect(error.message).toMatch(why);
  });

  it("lead over TLS, for messages and administration, with a certificate that is trusted", async () => {
    const tls = selfSignedCertificate(["localhost"]);
    await using server = await startServer({ tls });
    const secure = server.connectionString.replace(";UseDevelopmentEmulator=true", "");
    const engine = azureEngine({ connectionString: secure, ca: tls.cert, minWaitTime: 0 });
    const doubting = azureEngine({ connectionString: secure });

    await engine.admin.createQueue("q", { lockDuration: 30_000 });
    await (await engine.openSender("q")).send([message]);
    const { lockDuration } = await engine.admin.getQueue("q");
    const peeked = await engine.peek("q", { maxMessages: 5 });
    const error = await rejection(doubting.openSender("q"));
    await engine.close();

    expect([lockDuration, peeked.length]).toEqual([30_000, 1]);
    expect(error.code).toBe("ServiceCommunicationProblem");
  });
});

describe("an endpoint that does not let the engine in", () => {
  it("has a wrong key: unauthorized, with the broker's text", async () => {
    await using server = await startServer({ queues: ["q"], keys: { name: "secret" } });
    const engine = azureEngine({ connectionString: server.connectionString.replace("=secret", "=guess") });

    const [error, administration] = await Promise.all([
      rejection(engine.openSender("q")),
      rejection(engine.admin.listQueues()),
    ]);
    await engine.close();

    expect([error.code, administration.code]).toEqual(["UnauthorizedAccess", "UnauthorizedAccess"]);
    expect(error.message).toContain("Check the connection string");
  });

  it("speaks no AMQP", async () => {
    const server = createServer((socket) => socket.resume().end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
    const engine = azureEngine({
      connectionString: connectionString.replace("broker.test:5999", `127.0.0.1:${port}`),
    });

    const error = await rejection(engine.openSender("q"));
    await engine.close();
    await new Promise((resolve) => server.close(resolve));

    expect(error).toMatchObject({ code: "UnsupportedCapability", message: "The peer does not speak AMQP 1.0." });
  });
});
