import { describe, expect, it } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { unreadableReason } from "../../../src/client/client/index.ts";
import { createSerializer, type PayloadStage } from "../../../src/core/codec/index.ts";
import { rejection } from "../../refusal.support.ts";
import { noting, one, setup } from "./setup.support.ts";

/** A stage of which nothing is known. */
const stage = (methods: object): PayloadStage => Object.assign(JSON.parse('{ "name": "mine" }'), methods);

describe("a custom stage", () => {
  it.each<readonly [string, () => unknown]>([
    ["a number", () => 5],
    ["no envelope", () => Promise.resolve({ body: 1 })],
    ["text", () => "{}"],
  ])("that gives %s makes the message a dead letter, and the processor goes on", async (_what, afterReceive) => {
    const { client, clock } = setup({ queues: ["orders"] }, { stages: [stage({ afterReceive })] });
    const { errors, handlers } = noting(() => undefined);
    const processor = client.startProcessor("orders", handlers);

    await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    await clock.advance(0);
    const letters = await client.createReceiver("orders/$DeadLetterQueue").peekMessages(5);

    expect(letters.map(({ deadLetterReason }) => deadLetterReason)).toEqual([unreadableReason, unreadableReason]);
    expect(letters[0]?.deadLetterErrorDescription).toContain('The stage "mine" did not return an envelope');
    expect(errors).toMatchObject([{ code: "DecodeFailed" }, { code: "DecodeFailed" }]);
    expect(processor.isRunning).toBe(true);
  });

  it("that gives no envelope sends nothing", async () => {
    const { client } = setup({ queues: ["orders"] }, { stages: [stage({ beforeSend: () => "{}" })] });

    const error = await rejection(client.createSender("orders").sendMessages({ body: 1 }));

    expect(error.message).toContain('The stage "mine" did not return an envelope');
    expect(await client.createReceiver("orders").peekMessages(1)).toEqual([]);
  });
});

describe("a custom serializer that throws", () => {
  it("makes the message a dead letter, without its words, and the processor goes on", async () => {
    const broken = { ...createSerializer({ codecs: [json()] }), deserialize: () => JSON.parse("secret") };
    const { client, clock } = setup({ queues: ["orders"] }, { serializer: broken });
    const { errors, handlers } = noting(() => undefined);
    const processor = client.startProcessor("orders", handlers);

    await client.createSender("orders").sendMessages({ body: 1 });
    await clock.advance(0);

    expect(one(errors)).toMatchObject({ errorSource: "deserialize", code: "DecodeFailed" });
    expect(String(one(errors).error)).not.toContain("secret");
    expect(processor.isRunning).toBe(true);
  });
});
