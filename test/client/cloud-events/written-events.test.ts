import { describe, expect, it } from "vitest";
import { z } from "zod";
import { cloudEventFromEnvelope, cloudEvents } from "../../../src/client/cloud-events/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { compression } from "../../../src/client/stages/index.ts";
import { refusal, rejection } from "../../refusal.support.ts";
import { one, setup } from "../client/setup.support.ts";

const clock = new ManualClock();
const schema = z.object({ cents: z.number() });
const options = {
  source: "/shop",
  clock,
  type: (name: string, version: number) => `com.${name}.v${version}`,
  dataschema: (name: string, version: number) => `https://acme.example/${name}/${version}`,
};
/** A reader that knows the events by their type alone, as another team's. */
const Received = defineMessage("acme.received", { 3: schema }, { aliases: { "com.acme.order.v1": 3 } });

describe("CloudEvents written from a message type", () => {
  it.each(["binary", "structured"] as const)("have the message's attributes in %s mode", async (mode) => {
    const Order = defineMessage("acme.order", { 1: schema }, { stages: [cloudEvents({ ...options, mode })] });
    const { client, sent } = setup({ queues: ["orders"] });

    await client
      .createSender("orders")
      .sendMessages(Order.message({ cents: 500 }, { messageId: "o-1", subject: "order", correlationId: "c" }));

    const { envelope } = one(sent.list());
    expect(cloudEventFromEnvelope(envelope)).toEqual({
      id: "o-1",
      source: "/shop",
      type: "com.acme.order.v1",
      subject: "order",
      time: new Date(clock.now()),
      datacontenttype: "application/json",
      dataschema: "https://acme.example/acme.order/1",
      data: new TextEncoder().encode('{"cents":500}'),
      extensions: undefined,
    });
    expect(envelope.brokerProperties).toMatchObject({ messageId: "o-1", subject: "order", correlationId: "c" });
    expect(envelope.brokerProperties.contentType).toBe(
      mode === "binary" ? "application/json" : "application/cloudevents+json; charset=UTF-8",
    );
  });

  it.each([
    ["binary", "properties"],
    ["structured", "properties"],
    ["binary", "contentType"],
    ["structured", "contentType"],
  ] as const)("are read back in %s mode with the type in %s", async (mode, wire) => {
    const Order = defineMessage("acme.order", { 1: schema }, { wire });
    const { client } = setup(
      { queues: ["orders"] },
      { stages: [cloudEvents({ ...options, mode }), compression({ encoding: "gzip", threshold: 0 })] },
    );
    await client.createSender("orders").sendMessages(Order.message({ cents: 500 }));
    const [message] = await client.createReceiver("orders", { messageTypes: [Order] }).receiveMessages(1);

    expect(message).toMatchObject({ ok: true, messageType: "acme.order", body: { cents: 500 } });
  });

  it("select another team's message type by their type", async () => {
    const Order = defineMessage("acme.order", { 1: schema }, { stages: [cloudEvents(options)] });
    const { client, sent } = setup({ queues: ["orders", "foreign"] });
    await client.createSender("orders").sendMessages(Order.message({ cents: 500 }));
    const { envelope } = one(sent.list());
    const {
      ["sobre-type"]: _type,
      ["sobre-version"]: _version,
      ...applicationProperties
    } = envelope.applicationProperties;

    await client.createSender("foreign").sendMessages({ body: { cents: 500 }, applicationProperties });
    const [message] = await client.createReceiver("foreign", { messageTypes: [Received] }).receiveMessages(1);

    expect(message).toMatchObject({ ok: true, messageType: "acme.received", messageVersion: 3, body: { cents: 500 } });
  });

  it("have the name of the message type as their type, and no schema, by default", async () => {
    const Order = defineMessage("acme.order", { 1: schema }, { stages: [cloudEvents({ source: "/shop" })] });
    const { client, sent } = setup({ queues: ["orders"] });

    await client.createSender("orders").sendMessages(Order.message({ cents: 500 }));

    expect(cloudEventFromEnvelope(one(sent.list()).envelope)).toMatchObject({
      type: "acme.order",
      dataschema: undefined,
    });
  });

  it("are not made of messages without a type, and without a source of none", async () => {
    const Order = defineMessage("acme.order", { 1: schema });
    const { client, sent } = setup({ queues: ["orders"] }, { stages: [cloudEvents(options)] });
    const other = setup({ queues: ["orders"] }, { stages: [cloudEvents()] });

    await client.createSender("orders").sendMessages({ body: 1 });
    await other.client.createSender("orders").sendMessages(Order.message({ cents: 5 }));

    for (const { envelope } of [one(sent.list()), one(other.sent.list())])
      expect(cloudEventFromEnvelope(envelope)).toBeUndefined();
  });

  it("refuse a source that is empty, an invalid attribute and a body without bytes", async () => {
    const { client } = setup({ queues: ["orders"] });
    const bad = { source: "/shop", type: () => "" };
    const Order = defineMessage("acme.order", { 1: schema }, { stages: [cloudEvents(bad)] });

    const error = refusal(() => cloudEvents({ source: "" }));
    const attribute = await rejection(client.createSender("orders").sendMessages(Order.message({ cents: 5 })));

    expect(error.path).toBe("$.source");
    expect(attribute).toMatchObject({ code: "InvalidArgument", path: "$.type" });
  });
});
