import { describe, expect, it } from "vitest";
import { openMessage } from "../../../src/amqp/message/amqp-message.ts";
import { memoryEngine } from "../../../src/engines/memory/index.ts";
import { AmqpMap, type AmqpValue } from "../../../src/values/typed.ts";
import { createEnvelope } from "../../../src/envelope/index.ts";
import { BrokerPair } from "./broker-pair.support.ts";
import { request } from "./broker-requests.support.ts";

const statusOf = (answer: ReturnType<typeof openMessage>): unknown => answer.applicationProperties?.get("statusCode");

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
    const message = openMessage(bytes instanceof Uint8Array ? bytes : new Uint8Array());

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
