import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeMessage } from "../../src/wire/amqp/message/encode-message.ts";
import { createEnvelope, envelopeToJson } from "../../src/core/envelope/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import {
  createCaptureSource,
  createFolderSource,
  createQueueSource,
  type MigrationSource,
  createFileSource,
  type SourceMessage,
} from "../../src/migration/index.ts";
import { folder } from "./samples.support.ts";

const scratch = folder();
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return path;
};
async function all(source: MigrationSource): Promise<readonly SourceMessage[]> {
  const messages: SourceMessage[] = [];
  for await (const message of source.messages()) messages.push(message);
  return messages;
}

const textOf = ({ content }: SourceMessage): string =>
  content.ok ? new TextDecoder().decode(content.envelope.payload) : content.error.code;
const captured = (text: string): string =>
  JSON.stringify(
    envelopeToJson(
      createEnvelope({ payload: new TextEncoder().encode(text), brokerProperties: { messageId: text.slice(0, 100) } }),
    ),
  );

describe("a file of captured envelopes", () => {
  it("gives each line, and costs no other line for a broken one", async () => {
    const path = file("lines.ndjson", [captured("a"), "", "{broken", '{"no":"message"}', captured("b")].join("\r\n"));

    const messages = await all(createCaptureSource(path));

    expect(messages.map(textOf)).toEqual(["a", "DecodeFailed", "InvalidArgument", "b"]);
    expect(messages.map(({ id }) => id.slice(scratch.length))).toEqual(
      [1, 3, 4, 5].map((line) => `/lines.ndjson:${line}`),
    );
    expect(messages.at(-1)?.done).toBe(createCaptureSource(path).size);
  });

  it("passes over a line that is too long without keeping it", async () => {
    const path = file("long.ndjson", `${captured("a")}\n${captured("x".repeat(100_000))}\n${captured("b")}\n`);

    const messages = await all(createCaptureSource(path, { maxBytes: 10_000 }));

    expect(messages.map(textOf)).toEqual(["a", "LimitExceeded", "b"]);
    expect(messages.map(({ content }) => (content.ok ? 0 : content.bytes.byteLength))).toEqual([0, 1024, 0]);
  });
});

it.each(["a capture", "a folder", "a queue"])(
  "opens a whole AMQP message that a message of %s holds",
  async (where) => {
    const inner = createEnvelope({
      payload: new TextEncoder().encode("inside"),
      brokerProperties: { messageId: "inner", contentType: "text/plain", subject: "order.placed" },
      applicationProperties: { tenant: "es", run: "old" },
    });
    const payload = encodeMessage(inner);
    const outer = createEnvelope({
      payload,
      brokerProperties: { messageId: "outer" },
      applicationProperties: { run: "new" },
    });
    const engine = memoryEngine({ queues: { orders: {} } });
    await (await engine.openSender("orders")).send([outer]);
    const sources = {
      "a capture": () => createCaptureSource(file("whole.ndjson", JSON.stringify(envelopeToJson(outer)))),
      "a folder": () => createFolderSource(file("whole.bin", payload)),
      "a queue": () => createQueueSource(engine, "orders"),
    };

    const messages = await all(sources[where === "a capture" || where === "a folder" ? where : "a queue"]());

    const around = where === "a folder" ? inner : outer;
    expect(messages.map(textOf)).toEqual(["inside"]);
    expect(messages[0]?.content).toMatchObject({
      envelope: {
        brokerProperties: {
          messageId: around.brokerProperties.messageId,
          contentType: "text/plain",
          subject: "order.placed",
        },
        applicationProperties: { tenant: "es", run: around.applicationProperties["run"] },
      },
    });
    await engine.close();
  },
);

it("leaves a payload that only begins like an AMQP message, and one that is declared to be something else", async () => {
  const payload = encodeMessage(createEnvelope({ payload: new TextEncoder().encode("inside") }));
  const declared = createEnvelope({ payload, brokerProperties: { contentType: "application/octet-stream" } });
  const lines = [createEnvelope({ payload: payload.subarray(0, -2) }), declared];
  const path = file("almost.ndjson", lines.map((line) => JSON.stringify(envelopeToJson(line))).join("\n"));

  const messages = await all(createCaptureSource(path));

  expect(messages.map(({ content }) => content.ok && content.envelope.payload.byteLength)).toEqual([
    payload.byteLength - 2,
    payload.byteLength,
  ]);
});

describe("an export of Service Bus Explorer", () => {
  const saved = {
    body: "Hola",
    contentType: "text/plain",
    correlationId: null,
    deliveryCount: 1,
    enqueuedTimeUtc: "2021-08-13T07:49:14.7043957Z",
    label: "order.placed",
    lockToken: null,
    messageId: "m-1",
    sessionId: null,
    timeToLive: "1.02:03:04.5000000",
    to: null,
  };

  it("gives a saved message with its properties, in either of their forms", async () => {
    const list = file(
      "one.json",
      JSON.stringify({ ...saved, properties: [{ key: "tenant", type: "String", value: "es" }] }, undefined, 2),
    );
    const object = file(
      "two.json",
      JSON.stringify({ ...saved, body: { id: 1 }, properties: { tenant: "es", n: 3 } }, undefined, 2),
    );

    const [one] = await all(await createFileSource(list));
    const [two] = await all(await createFileSource(object));

    expect(one?.content).toMatchObject({
      envelope: {
        brokerProperties: {
          contentType: "text/plain",
          messageId: "m-1",
          subject: "order.placed",
          timeToLive: 93_784_500,
        },
        applicationProperties: { tenant: "es" },
      },
    });
    expect(one && textOf(one)).toBe("Hola");
    expect(two && textOf(two)).toBe('{"id":1}');
    expect(two?.content).toMatchObject({ envelope: { applicationProperties: { tenant: "es", n: 3 } } });
  });

  it("gives every message of a list, with brackets and quotes in texts", async () => {
    const bodies = ['}]"\\', "{[", "plain"];
    const path = file(
      "many.json",
      JSON.stringify(
        bodies.map((body) => ({ ...saved, body, properties: {} })),
        undefined,
        2,
      ),
    );

    const messages = await all(await createFileSource(path));

    expect(messages.map(textOf)).toEqual(bodies);
  });

  it("says of a body that the export has damaged that its bytes are gone", async () => {
    const path = file("damaged.json", `${JSON.stringify({ ...saved, body: "@\u0006string\b\ufffd" })}\n`);

    const [message] = await all(await createFileSource(path));

    expect(message?.content).toMatchObject({
      ok: false,
      error: { code: "DecodeFailed", message: expect.stringContaining("U+FFFD") },
    });
  });
});

describe("a folder", () => {
  it("gives its files in the order of their names, and those of its folders", async () => {
    const path = join(scratch, "payloads");
    mkdirSync(join(path, "b"), { recursive: true });
    for (const name of ["c.bin", "a.bin", "b/d.bin", ".hidden", "notes.txt"]) writeFileSync(join(path, name), name);

    const messages = await all(await createFileSource(path, { include: "*.bin" }));

    expect(messages.map(({ id }) => id)).toEqual(["a.bin", "b/d.bin", "c.bin"]);
    expect(messages.map(textOf)).toEqual(["a.bin", "b/d.bin", "c.bin"]);
  });

  it("reads files of a quarantine as the envelopes that they hold", async () => {
    const path = join(scratch, "quarantine");
    mkdirSync(path);
    writeFileSync(join(path, "0-abc.envelope.json"), captured("a"));

    const [message] = await all(await createFileSource(path));

    expect(message?.content).toMatchObject({ envelope: { brokerProperties: { messageId: "a" } } });
  });

  it("is refused when it is not there", async () => {
    await expect(createFileSource(join(scratch, "nowhere"))).rejects.toMatchObject({ code: "InvalidArgument" });
  });
});

describe("a queue", () => {
  it("is peeked in order, and keeps every message uncounted", async () => {
    const engine = memoryEngine({ queues: { orders: {} } });
    const sender = await engine.openSender("orders");
    const texts = Array.from({ length: 7 }, (_, index) => `m${index}`);
    await sender.send(texts.map((text) => createEnvelope({ payload: new TextEncoder().encode(text) })));

    const source = createQueueSource(engine, "orders", { batchSize: 3 });
    const [first, second] = [await all(source), await all(source)];

    expect(first.map(textOf)).toEqual(texts);
    expect(second.map(({ id, order }) => [id, order])).toEqual(first.map(({ id, order }) => [id, order]));
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    const deliveries = await receiver.receive({ maxMessages: 10, maxWaitTimeInMs: 0 });
    expect(deliveries.map(({ deliveryCount }) => deliveryCount)).toEqual(texts.map(() => 0));
    await engine.close();
  });
});
