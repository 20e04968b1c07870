import { describe, expect, it } from "vitest";
import { z } from "zod";
import { json } from "../../../codecs/json/index.ts";
import { msgpack } from "../../../codecs/msgpack/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { defineMessage, type MessageType } from "../../../src/core/message/index.ts";
import { compression, encryption } from "../../../src/client/stages/index.ts";
import { refusal } from "../../refusal.support.ts";
import { one, setup } from "./setup.support.ts";

const schema = z.object({ id: z.number(), note: z.string() });
const body = { id: 7, note: "x".repeat(2_000) };
const key = new Uint8Array(32).fill(7);
const secret = encryption({ keys: (id) => (id === "k" ? key : undefined), keyId: "k" });

/** Sends a message of the type, and one of another type, and reads both by their types. */
async function roundTrip(type: MessageType<string, typeof body>, codecs = [json()]) {
  const Plain = defineMessage("acme.plain", { 1: schema });
  const made = setup(
    { queues: ["q"] },
    { serializer: createSerializer({ codecs }), stages: [compression({ encoding: "gzip" })] },
  );
  const { client, sent } = made;

  await client.createSender("q").sendMessages([type.message(body), Plain.message(body)]);
  const receiver = client.createReceiver("q", { messageTypes: [type, Plain] });
  const received = [...(await receiver.receiveMessages(1)), ...(await receiver.receiveMessages(1))];
  for (const message of received) await receiver.completeMessage(message);

  expect(received.map((message) => message.body)).toEqual([body, body]);
  const envelopes = sent.list().map(({ envelope }) => envelope);
  expect(envelopes[1]?.brokerProperties).toMatchObject({ contentType: "application/json", contentEncoding: "gzip" });
  return { ...made, envelope: one(envelopes) };
}

describe("a message type", () => {
  it("has a content type of its own, which selects the codec", async () => {
    const type = defineMessage("acme.packed", { 1: schema }, { contentType: "application/vnd.msgpack" });

    const { envelope } = await roundTrip(type, [json(), msgpack()]);

    expect(envelope.brokerProperties.contentType).toBe("application/vnd.msgpack");
  });

  it("has a codec of its own, which the client need not know", async () => {
    const type = defineMessage("acme.packed", { 1: schema }, { codec: msgpack(), wire: "contentType" });

    const { envelope } = await roundTrip(type);

    expect(envelope.brokerProperties.contentType).toBe("application/vnd.msgpack;type=acme.packed;version=1");
  });

  it("reads a message that its codec does not accept by the client's", async () => {
    const type = defineMessage("acme.packed", { 1: schema }, { codec: msgpack() });
    const { client } = setup({ queues: ["q"] });

    await client.createSender("q").sendMessages({
      body,
      applicationProperties: { "sobre-type": "acme.packed", "sobre-version": 1 },
    });
    const [message] = await client.createReceiver("q", { messageTypes: [type] }).receiveMessages(1);

    expect(message?.body).toEqual(body);
  });

  it("has stages of its own, in place of the client's", async () => {
    const secretly = await roundTrip(defineMessage("acme.secret", { 1: schema }, { stages: [secret] }));
    const plainly = await roundTrip(defineMessage("acme.open", { 1: schema }, { stages: [] }));

    expect(secretly.envelope.brokerProperties.contentEncoding).toBe("aes-256-gcm");
    expect(plainly.envelope.brokerProperties.contentEncoding).toBeUndefined();
    const [message] = await secretly.client.createReceiver("q").peekMessages(1);
    expect(message).toBeUndefined();
  });

  it("is read with its stages wherever it is the only one, though a message names none", async () => {
    const type = defineMessage("acme.secret", { 0: schema }, { stages: [secret] });
    const { client } = setup({ queues: ["q"] }, { stages: [secret] });

    await client.createSender("q").sendMessages({ body });
    const [message] = await client.createReceiver("q", { messageTypes: [type] }).receiveMessages(1);

    expect(message?.body).toEqual(body);
  });

  it("keeps the content type that a message names itself", async () => {
    const type = defineMessage("acme.packed", { 1: schema }, { contentType: "application/vnd.msgpack" });
    const { client, sent } = setup({ queues: ["q"] });

    await client.createSender("q").sendMessages(type.message(body, { contentType: "application/json" }));

    expect(one(sent.list()).envelope.brokerProperties.contentType).toBe("application/json");
  });

  it.each([
    [{ contentType: "json" }, "contentType"],
    [{ codec: { encode: 1 } }, "codec"],
    [{ stages: [{}] }, "stages"],
    [{ stages: [secret, compression()] }, "stages"],
  ])("refuses an invalid format: %o", (options, option) => {
    const error = refusal(() => Reflect.apply(defineMessage, undefined, ["acme.wrong", { 1: schema }, options]));

    expect(error.code).toBe("InvalidArgument");
    expect(error.message).toContain(option);
  });
});
