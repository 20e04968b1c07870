import { describe, expect, it } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { msgpack } from "../../../codecs/msgpack/index.ts";
import { createSerializer, type PayloadStage } from "../../../src/core/codec/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import { claimCheck, compression, encryption, type PayloadStore } from "../../../src/client/stages/index.ts";
import { one, setup, type Setup } from "./setup.support.ts";
import { jsonSchema } from "../../../src/core/json-schema/json-schema.ts";

const serializer = createSerializer({ codecs: [json(), msgpack()] });
const body = { secret: "hunter2".repeat(500) };
const deadLetterQueue = "orders/$DeadLetterQueue";

/** A dead letter of "orders" that went through the stages. */
async function deadLetteredThrough(stages: readonly PayloadStage[], message: object = { body }): Promise<Setup> {
  const all = setup({ queues: ["orders"] }, { serializer, stages });
  await all.client.createSender("orders").sendMessages({ body, ...message });
  const receiver = all.client.createReceiver("orders");
  await receiver.deadLetterMessage(one(await receiver.receiveMessages(1)));
  return all;
}

function storeInMemory(): PayloadStore {
  const payloads = new Map<string, Uint8Array>();
  return {
    async put(payload) {
      payloads.set(String(payloads.size), payload);
      return String(payloads.size - 1);
    },
    get: async (id) => payloads.get(id),
  };
}

const rewriting = { readableBy: serializer, rewriteAs: "application/msgpack" };

describe("a message that a re-drive rewrites", () => {
  it.each([
    ["encrypted", encryption({ keys: { k: new Uint8Array(32).fill(7) }, keyId: "k" }), "aes-256-gcm"],
    ["compressed", compression({ encoding: "gzip" }), "gzip"],
    ["stored apart", claimCheck({ store: storeInMemory(), threshold: 10 }), "claim-check"],
  ])("is %s again", async (_what, stage, contentEncoding) => {
    const { client, engine } = await deadLetteredThrough([stage]);

    const report = await client.redrive(deadLetterQueue, rewriting);

    const [sent] = await engine.peek("orders", { maxMessages: 1 });
    expect(report).toMatchObject({ sent: 1 });
    expect(sent?.envelope.brokerProperties.contentEncoding).toContain(contentEncoding);
    expect(new TextDecoder().decode(sent?.envelope.payload)).not.toContain("hunter2");
    expect(await client.createReceiver("orders").receiveMessages(1)).toMatchObject([
      { body, contentType: "application/msgpack", result: { codec: "msgpack" } },
    ]);
  });

  it("keeps the type that its content type names", async () => {
    const Order = defineMessage("acme.order", { 3: jsonSchema({ type: "object" }) }, { wire: "contentType" });
    const { client } = await deadLetteredThrough([], Order.message({ id: 7 }));

    await client.redrive(deadLetterQueue, rewriting);

    const receiver = client.createReceiver("orders", { messageTypes: [Order] });
    expect(await receiver.receiveMessages(1)).toMatchObject([{ body: { id: 7 }, messageVersion: 3 }]);
  });

  it("stays as failed while a stage cannot read it yet", async () => {
    let isAway = false;
    const away: PayloadStage = {
      name: "away",
      afterReceive(envelope) {
        if (isAway) throw new SobreError("ServiceCommunicationProblem", "The store is away.");
        return envelope;
      },
    };
    const { client } = await deadLetteredThrough([away]);
    isAway = true;

    expect(await client.redrive(deadLetterQueue, rewriting)).toMatchObject({
      failed: 1,
      entries: [{ error: { code: "ServiceCommunicationProblem" } }],
    });
  });
});
