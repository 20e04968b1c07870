import { describe, expect, it } from "vitest";
import { parseMessage } from "../../../../src/wire/amqp/message/amqp-message.ts";
import { writeMessage } from "../../../../src/wire/amqp/message/write-message.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../../../src/core/values/typed.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { BrokerPair } from "./broker-pair.support.ts";
import { request } from "./broker-requests.support.ts";

const statusOf = (answer: ReturnType<typeof parseMessage>): unknown => answer.applicationProperties?.get("statusCode");

/** A described list without fields. */
const described = (code: bigint): object => ({ value: { descriptor: { value: code }, value: [] } });

describe("a request to $management", () => {
  it.each([
    ["a time that is a number", "batch-delete-messages", { "message-count": 9, "enqueued-time-utc": 1 }],
    ["a session that is a number", "peek-message", { "from-sequence-number": 0n, "message-count": 1, "session-id": 1 }],
    ["a place that is text", "peek-message", { "from-sequence-number": "0", "message-count": 1 }],
    [
      "properties that are a list",
      "update-disposition",
      { "disposition-status": "abandoned", "lock-tokens": [], "properties-to-modify": [] },
    ],
    [
      "a filter that is text",
      "add-rule",
      { "rule-name": "r", "rule-description": new AmqpMap([["sql-filter", "a = 1"]]) },
    ],
    ["a place below 0", "enumerate-rules", { skip: -1, top: 1 }],
    [
      "a flag that is text",
      "peek-message",
      { "from-sequence-number": 0n, "message-count": 1, "omit-message-body": "yes" },
    ],
  ] satisfies [string, string, Record<string, AmqpValue>][])(
    "refuses %s instead of leaving it out",
    async (_what, operation, body) => {
      const engine = memoryEngine({ queues: ["q"], topics: { t: { subscriptions: ["s"] } } });
      const sender = await engine.openSender("q");
      await sender.send([createEnvelope({ payload: Uint8Array.of(1) })]);

      const entity = /rules?$/.test(operation) ? "t/Subscriptions/s" : "q";
      const answer = await request(new BrokerPair(engine), entity, operation, body);

      expect(statusOf(answer)).toBe(400);
      expect((await engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(1);
      expect(await engine.admin.listRules("t", "s")).toHaveLength(1);
    },
  );

  it("describes true and false filters without fields, as the clients declare them", async () => {
    const engine = memoryEngine({ topics: { t: { subscriptions: ["s"] } } });
    await engine.admin.createRule("t", "s", "never", { filter: { kind: "false" } });

    const answer = await request(new BrokerPair(engine), "t/Subscriptions/s", "enumerate-rules", { skip: 0, top: 9 });

    const { body } = answer;
    const rules = body?.kind === "value" && body.value instanceof AmqpMap ? body.value.get("rules") : undefined;
    const filters = (Array.isArray(rules) ? rules : []).map((rule) => {
      const description = rule instanceof AmqpMap ? rule.get("rule-description") : undefined;
      return description instanceof Typed ? description.value : undefined;
    });
    expect(filters).toMatchObject([
      { value: [described(0x0000_0013_7000_0007n), expect.anything(), "$Default"] },
      { value: [described(0x0000_0013_7000_0008n), expect.anything(), "never"] },
    ]);
  });

  it("receives no more deferred messages at once than an answer can hold, and leaves the others", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const sender = await engine.openSender("q");
    for (let index = 0; index < 12; index++) await sender.send([createEnvelope({ payload: Buffer.alloc(900_000) })]);
    const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
    const numbers: bigint[] = [];
    for (const { lockToken, sequenceNumber } of await receiver.receive({ maxMessages: 12, maxWaitTimeInMs: 0 })) {
      if (lockToken !== undefined) await engine.settle("q", lockToken, { kind: "defer" });
      numbers.push(sequenceNumber);
    }
    const ask = (wanted: readonly bigint[]): ReturnType<typeof request> =>
      request(new BrokerPair(engine), "q", "receive-by-sequence-number", {
        "sequence-numbers": typed.array("long", [...wanted]),
        "receiver-settle-mode": typed.uint(1),
      });

    const answer = await ask(numbers);
    const tooMany = await ask(Array.from({ length: 1001 }, () => 1n));

    const body = answer.body?.kind === "value" && answer.body.value instanceof AmqpMap ? answer.body.value : undefined;
    expect(statusOf(answer)).toBe(200);
    expect(body?.get("messages")).toHaveLength(4);
    expect(statusOf(tooMany)).toBe(400);
  });

  it("settles a request before it is answered, since some clients regard the answer as its end", async () => {
    const pair = new BrokerPair(memoryEngine({ queues: ["q"] }));
    const order: string[] = [];
    const session = await pair.session();
    const requests = session.links.newSender("requests");
    requests.open(
      { source: { kind: "source" }, target: { kind: "target", address: "q/$management" } },
      { flowed: () => undefined, detached: () => undefined, disposed: () => void order.push("disposition") },
    );
    const answers = session.links.newReceiver("answers");
    answers.open(
      { source: { kind: "source", address: "q/$management" }, target: { kind: "target", address: "here" } },
      { delivered: () => void order.push("answer"), detached: () => undefined },
    );
    answers.grant(1);
    await pair.run();

    const payload = writeMessage({
      properties: { messageId: "1", replyTo: "here" },
      applicationProperties: { operation: "com.microsoft:peek-message" },
      body: { kind: "value", value: new AmqpMap([["message-count", 1]]) },
    });
    requests.send({ payload, tag: Uint8Array.of(1), settled: false });
    await pair.run();

    expect(order).toEqual(["disposition", "answer"]);
  });

  it("peeks at messages without their bodies when asked to", async () => {
    const engine = memoryEngine({ queues: ["q"] });
    const sender = await engine.openSender("q");
    const brokerProperties = { subject: "s", messageId: "m" };
    await sender.send([
      createEnvelope({ payload: Buffer.alloc(1000), brokerProperties, applicationProperties: { a: 1 } }),
    ]);

    const answer = await request(new BrokerPair(engine), "q", "peek-message", {
      "from-sequence-number": 0n,
      "message-count": 1,
      "omit-message-body": true,
    });
    const { body } = answer;
    const list = body?.kind === "value" && body.value instanceof AmqpMap ? body.value.get("messages") : undefined;
    const [item] = Array.isArray(list) ? list : [];
    const bytes = item instanceof AmqpMap ? item.get("message") : undefined;
    const message = parseMessage(bytes instanceof Uint8Array ? bytes : new Uint8Array());

    expect(message.properties).toMatchObject({ messageId: "m", subject: "s" });
    expect(message.applicationProperties?.get("a")).toBe(1);
    expect(message.bodyKind).toBeUndefined();
  });

  it("is refused with the one id it is tracked by", async () => {
    const engine = memoryEngine({ queues: { q: { requiresSession: true } } });

    const answer = await request(new BrokerPair(engine), "q", "cancel-scheduled-message", { "sequence-numbers": [1n] });

    const description = answer.applicationProperties?.get("statusDescription");
    expect(typeof description === "string" ? description.match(/TrackingId: /g) : []).toHaveLength(1);
  });
});
