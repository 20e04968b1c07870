import { X509Certificate } from "node:crypto";
import { request as send } from "node:http";
import { duplexPair } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { AmqpSocket } from "../../../src/serve/server/amqp/amqp-socket.ts";
import { selfSignedCertificate, type ServerEvent, startServer } from "../../../src/serve/server/index.ts";
import { Namespaces } from "../../../src/serve/server/namespaces.ts";
import { BrokerPair } from "./amqp/broker-pair.support.ts";

describe("a failure of the server itself", () => {
  it("is named in the log under the tracking id that the client gets, without its text", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const events: ServerEvent[] = [];
    vi.spyOn(engine, "connect").mockRejectedValue(new TypeError("the payload is 4711"));
    await using server = await startServer({ engine, onEvent: (event) => events.push(event) });

    const answer = await fetch(`http://127.0.0.1:${server.port}/q/messages`, { method: "POST", body: "a" });

    expect(answer.status).toBe(500);
    const [, id = ""] = /TrackingId: ([0-9a-f-]{36})/.exec(await answer.text()) ?? [];
    const failed = events.find(({ kind }) => kind === "failed");
    expect(failed?.text).toMatch(
      new RegExp(`^the server has failed, TrackingId ${id}: TypeError at .*failures.test.ts`),
    );
    expect(failed?.text).not.toContain("4711");
  });

  it("is named for AMQP, too", async () => {
    const failures: unknown[] = [];
    const engine = memoryEngine({ queues: ["q"] });
    vi.spyOn(engine, "connect").mockRejectedValue(new TypeError("broken"));
    const pair = new BrokerPair(engine, {}, { failed: (error, id) => failures.push([error, id]) });
    pair.sender(await pair.session(), "q");

    await pair.run();

    expect(failures).toEqual([[expect.any(TypeError), expect.stringMatching(/^[0-9a-f-]{36}$/)]]);
    expect(pair.detached).toMatchObject([
      { condition: "amqp:internal-error", description: expect.stringContaining("its log has the details") },
    ]);
  });
});

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("a login that fails", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is answered after a pause, in which the connection does nothing else", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const [here, there] = duplexPair();
    const engine = memoryEngine({ queues: ["q"] });
    const socket = new AmqpSocket(here, { access: new Namespaces({ name: "", engine, keys: { root: "key" } }) });
    const told: Buffer[] = [];
    there.on("data", (bytes: Buffer) => told.push(bytes));
    const plain = Buffer.from("\0root\0wrong");
    there.write(Buffer.from("414d515003010000", "hex"));
    await turns();
    told.length = 0;

    // sasl-init with PLAIN
    const body = Buffer.concat([
      Buffer.from("005341d0", "hex"),
      Buffer.alloc(8),
      Buffer.from("a305504c41494ea0", "hex"),
      Buffer.of(plain.length),
      plain,
    ]);
    body.writeUInt32BE(body.length - 8, 4);
    body.writeUInt32BE(2, 8);
    const head = Buffer.from("0000000002010000", "hex");
    head.writeUInt32BE(8 + body.length);
    there.write(Buffer.concat([head, body]));
    await turns();
    expect(told).toEqual([]);

    await vi.advanceTimersByTimeAsync(300);
    await turns();
    // sasl-outcome, code 1
    expect(Buffer.concat(told).toString("hex")).toContain("005344");
    socket.close("over");
  });

  it("over HTTP is answered later than one that succeeds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    await using server = await startServer({ keys: { root: "key" }, queues: ["q"] });
    const status = new Promise((resolve) => {
      send({ host: "127.0.0.1", port: server.port, path: "/q/messages", method: "POST" }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end("a");
    });
    let answered = false;
    void status.then(() => (answered = true));
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);

    await vi.advanceTimersByTimeAsync(300);

    expect(await status).toBe(401);
  });
});

describe("the generated certificate", () => {
  it("cannot sign others, so that trusting it means trusting only this server", () => {
    const certificate = new X509Certificate(selfSignedCertificate().cert);

    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  });
});
