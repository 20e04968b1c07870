import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeMessage } from "../../../src/wire/amqp/message/decode-message.ts";
import { encodeMessage } from "../../../src/wire/amqp/message/encode-message.ts";
import { createClient } from "../../../src/client/create-client.ts";
import type { Client } from "../../../src/client/client/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { json } from "../../../codecs/json/index.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import type { CloudEvent, CloudEventTypes } from "../../../src/client/cloud-events/cloud-event.ts";
import {
  cloudEventFromEnvelope,
  cloudEventFromHttp,
  cloudEventToEnvelope,
  cloudEventToHttp,
} from "../../../src/client/cloud-events/cloud-event-binding.ts";
import { readTraceContext, traceProperties } from "../../../src/core/message/index.ts";
import { type Server, startServer } from "../../../src/serve/server/index.ts";
import { one } from "../../client/client/setup.support.ts";

const trace = {
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  tracestate: "vendor=one,other=two",
  baggage: "user=N%C3%BAria",
};
const event: CloudEvent = {
  id: "A234-1234",
  source: "/orders",
  type: "com.acme.order.v1",
  subject: "Euro € 😀",
  time: new Date("2026-11-21T17:31:00.123Z"),
  dataschema: "https://acme.example/order",
  datacontenttype: "application/json",
  data: new TextEncoder().encode('{"number":9007199254740993}'),
  extensions: {
    flag: true,
    count: -2_147_483_648,
    note: "text",
    blob: new Uint8Array([0, 255, 7]),
    link: new URL("https://acme.example/a?b=c"),
    reference: "../c",
    until: new Date("2030-01-01T00:00:00.000Z"),
  },
};
const types: CloudEventTypes = { flag: "boolean", count: "integer", blob: "binary", link: "uri", until: "timestamp" };
const forms: readonly (readonly [string, Envelope])[] = [
  ["binary mode, cloudEvents:", cloudEventToEnvelope(event)],
  ["binary mode, cloudEvents_", cloudEventToEnvelope(event, { prefix: "cloudEvents_" })],
  ["structured mode", cloudEventToEnvelope(event, { mode: "structured" })],
];

describe("as AMQP bytes", () => {
  it.each(forms)("an event comes back with every attribute in its type: %s", (_form, envelope) => {
    expect(cloudEventFromEnvelope(decodeMessage(encodeMessage(envelope)), types)).toEqual(event);
  });

  it("attributes are of the types that the binding names", () => {
    const bytes = Buffer.from(encodeMessage(cloudEventToEnvelope(event))).toString("latin1");
    // The name, then the constructor of the value (AMQP 1.0 part 1.6).
    const constructorOf = (name: string): string | undefined =>
      new RegExp(`cloudEvents:${name}([\\s\\S])`).exec(bytes)?.[1];

    expect(constructorOf("flag")).toBe("\u0041"); // true
    expect(["\u0055", "\u0081"]).toContain(constructorOf("count")); // long
    expect(constructorOf("note")).toBe("\u00a1"); // str8
    expect(constructorOf("blob")).toBe("\u00a0"); // vbin8
    expect(constructorOf("link")).toBe("\u00a1");
    expect(constructorOf("until")).toBe("\u0083"); // timestamp
    expect(constructorOf("time")).toBe("\u0083");
  });

  it("attributes are read as their canonical text too", () => {
    const attributes = cloudEventToEnvelope(event).applicationProperties;
    const asText = {
      ...attributes,
      "cloudEvents:flag": "true",
      "cloudEvents:count": "-2147483648",
      "cloudEvents:blob": "AP8H",
      "cloudEvents:until": "2030-01-01T00:00:00Z",
      "cloudEvents:time": "2026-11-21T17:31:00.123Z",
    };
    const envelope = createEnvelope({
      payload: event.data ?? new Uint8Array(),
      brokerProperties: { contentType: "application/json" },
      applicationProperties: asText,
    });

    expect(cloudEventFromEnvelope(decodeMessage(encodeMessage(envelope)), types)).toEqual(event);
  });

  it.each([
    typed.byte(5),
    typed.short(5),
    typed.int(5),
    typed.ubyte(5),
    typed.ushort(5),
    typed.uint(5),
    typed.ulong(5n),
    typed.long(5n),
  ])("integers are read whatever their type: $type", (count) => {
    const attributes = cloudEventToEnvelope({ id: "1", source: "s", type: "t" }).applicationProperties;
    const applicationProperties = { ...attributes, "cloudEvents:count": count };
    const envelope = createEnvelope({ payload: new Uint8Array(), applicationProperties });

    expect(cloudEventFromEnvelope(decodeMessage(encodeMessage(envelope)))?.extensions).toEqual({ count: 5 });
  });

  it("a trace context comes back whole", () => {
    const envelope = createEnvelope({ payload: new Uint8Array(), applicationProperties: traceProperties(trace) });

    const back = decodeMessage(encodeMessage(envelope));

    expect(readTraceContext(back.applicationProperties)).toEqual(trace);
    expect(back.applicationProperties["Diagnostic-Id"]).toBe(trace.traceparent);
  });
});

describe("between a client of ours and the official one, through a server", () => {
  let server: Server;
  let official: ServiceBusClient;
  let ours: Client;

  beforeAll(async () => {
    server = await startServer({ queues: ["q"] });
    official = new ServiceBusClient(server.connectionString);
    ours = createClient({ engine: server.engine, serializer: createSerializer({ codecs: [json()] }) });
  });

  afterAll(async () => {
    await Promise.all([ours.close(), official.close()]);
    await server.close();
  });

  it.each(forms)("an event goes there and back: %s", async (_form, envelope) => {
    await ours.createSender("q").sendEnvelopes(envelope);
    const receiver = official.createReceiver("q", { skipParsingBodyAsJson: true });
    const received = one(await receiver.receiveMessages(1));
    await receiver.completeMessage(received);

    const { body, contentType, applicationProperties: properties = {} } = received;
    // The official client sends no binary properties; attributes may travel as their canonical text.
    const blobs = Object.entries(properties).filter(([name]) => name.endsWith("blob"));
    const asText = blobs.map(([name]) => [name, "AP8H"]);
    const applicationProperties = { ...properties, ...Object.fromEntries(asText) };
    const sender = official.createSender("q");
    await sender.sendMessages({ body, ...(contentType !== undefined && { contentType }), applicationProperties });
    const own = ours.createReceiver("q", { receiveMode: "receiveAndDelete" });
    const back = one(await own.receiveMessages(1));
    await Promise.all([receiver.close(), sender.close(), own.close()]);

    for (const [, blob] of blobs) expect(Object.values(Object(blob))).toEqual([0, 255, 7]);
    expect(cloudEventFromEnvelope(back.envelope, types)).toEqual(event);
  });

  it("a trace context goes there and back", async () => {
    const carried = { ...traceProperties(trace) };
    await ours.createSender("q").sendMessages({ body: 1, applicationProperties: carried });
    const receiver = official.createReceiver("q", { receiveMode: "receiveAndDelete" });
    const { applicationProperties = {} } = one(await receiver.receiveMessages(1));
    const sender = official.createSender("q");
    await sender.sendMessages({ body: 2, applicationProperties });
    const own = ours.createReceiver("q", { receiveMode: "receiveAndDelete" });
    const back = one(await own.receiveMessages(1));
    await Promise.all([receiver.close(), sender.close(), own.close()]);

    expect(applicationProperties).toMatchObject(carried);
    expect(readTraceContext(back.applicationProperties)).toEqual(trace);
  });
});

describe("over HTTP", () => {
  it.each(["binary", "structured"] as const)("an event goes through a request and its headers: %s", async (mode) => {
    const { headers, body } = cloudEventToHttp(event, mode);
    // As fetch would send it: the platform checks names and values of headers.
    const request = new Request("http://localhost/q", { method: "POST", headers, body: new Uint8Array(body) });

    const read = cloudEventFromHttp(request.headers, await request.bytes(), types);

    expect(read).toEqual(event);
  });
});
