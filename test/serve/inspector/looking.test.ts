import { describe, expect, it, vi } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { jsonSchema } from "../../../src/core/json-schema/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import { broken, deadLettered, envelope, inspected, order } from "./inspected.support.ts";

const dead = "orders/$DeadLetterQueue";

describe("looking at a broker", () => {
  it("lists every entity with its counts", async () => {
    const { engine, get } = inspected({ queues: ["orders"], topics: { prices: { subscriptions: ["eu"] } } });
    await deadLettered(engine, "orders", [order(1)]);
    await deadLettered(engine, "orders", [order(2)]);

    const { body } = await get("api/entities");

    expect(body).toMatchObject({
      entities: [
        { path: "orders", kind: "queue", active: 0, deadLetter: 2, scheduled: 0 },
        { path: "prices", kind: "topic" },
        { path: "prices/Subscriptions/eu", kind: "subscription", deadLetter: 0 },
      ],
    });
  });

  it("groups dead letters by reason, source, type and codec error, the largest first", async () => {
    const { engine, get } = inspected();
    await deadLettered(engine, "orders", [
      { ...order(1), reason: "Late" },
      { ...broken("b1"), reason: "Unreadable" },
      {
        ...broken("b2"),
        reason: "Unreadable",
        applicationProperties: { "sobre-type": "acme.order", "sobre-version": 2 },
      },
    ]);

    const { body } = await get(`api/groups?entity=${dead}`);

    expect(body).toMatchObject({
      scanned: 3,
      next: null,
      facets: {
        reason: [
          { value: "Unreadable", count: 2, first: "2" },
          { value: "Late", count: 1 },
        ],
        source: [{ value: "", count: 3 }],
        type: [
          { value: "", count: 2 },
          { value: "acme.order v2", count: 1 },
        ],
        error: [
          { value: "json: DecodeFailed", count: 2 },
          { value: "", count: 1 },
        ],
      },
    });
  });

  it("locks, counts and moves nothing", async () => {
    const { engine, get } = inspected();
    await deadLettered(engine, "orders", [order(1), broken("b")]);
    const before = await engine.peek(dead, { maxMessages: 10 });

    for (const path of ["groups?", "messages?", "message?sequence=1&", "message?sequence=2&", "export?", "sessions?"])
      await get(`api/${path}entity=${dead}`);
    const receiver = await engine.openReceiver(dead, { receiveMode: "peekLock" });
    const received = await receiver.receive({ maxMessages: 10, maxWaitTimeInMs: 0 });

    expect(received.map(({ sequenceNumber, deliveryCount }) => [sequenceNumber, deliveryCount])).toEqual(
      before.map(({ sequenceNumber }) => [sequenceNumber, 0]),
    );
  });

  it.each([
    ["text in a body, in any case", "text=LISBON", ["2"]],
    ["text in an application property", "text=acme", ["3"]],
    ["text in the reason", "text=too late", ["1"]],
    ["text in a body of a binary format", "text=porto", ["4"]],
    ["a reason", "reason=Too late", ["1"]],
    ["a codec error", "error=json: DecodeFailed", ["5"]],
    ["a member of the body", "path=$.city = Lisbon", ["2"]],
    ["a member beyond 2^53", "path=$.id = 9007199254740993", ["3"]],
    ["an order of numbers", "path=$.id <= 2", ["1", "2"]],
  ])("finds messages by %s", async (_what, query, found) => {
    const { engine, serializer, get } = inspected();
    const porto = serializer.serialize({ body: { city: "Porto", id: 44 }, contentType: "application/msgpack" });
    await deadLettered(engine, "orders", [
      { ...order(1), reason: "Too late" },
      { ...order(2), payload: Buffer.from('{"id":2,"city":"Lisbon"}') },
      { ...order(3), payload: Buffer.from('{"id":9007199254740993}'), applicationProperties: { tenant: "ACME" } },
      { payload: porto.payload, brokerProperties: porto.brokerProperties },
      broken("b"),
    ]);

    const { body } = await get(`api/messages?entity=${dead}&${query.replaceAll("+", "%2B")}`);

    expect(body).toMatchObject({ rows: found.map((sequenceNumber) => ({ sequenceNumber })) });
  });

  it("pages by sequence number", async () => {
    const { engine, get } = inspected();
    const sender = await engine.openSender("orders");
    await sender.send(Array.from({ length: 5 }, (_, index) => envelope(order(index))));

    const first = await get("api/messages?entity=orders&max=2");
    const second = await get("api/messages?entity=orders&max=2&from=3");

    expect(first.body).toMatchObject({ rows: [{ sequenceNumber: "1" }, { sequenceNumber: "2" }], next: "3" });
    expect(second.body).toMatchObject({ rows: [{ sequenceNumber: "3" }, { sequenceNumber: "4" }], next: "5" });
  });

  it("lists what is scheduled and what is deferred", async () => {
    const { engine, clock, get } = inspected();
    const at = new Date(clock.now() + 60_000);
    await engine.schedule("orders", [envelope(order(1, { scheduledEnqueueTimeUtc: at }))]);
    await (await engine.openSender("orders")).send([envelope(order(2))]);
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    if (delivery?.lockToken !== undefined) await engine.settle("orders", delivery.lockToken, { kind: "defer" });

    const scheduled = await get("api/messages?entity=orders&state=scheduled");
    const deferred = await get("api/messages?entity=orders&state=deferred");

    expect(scheduled.body).toMatchObject({
      rows: [{ messageId: "order-1", scheduledEnqueueTimeUtc: at.toISOString() }],
    });
    expect(deferred.body).toMatchObject({ rows: [{ messageId: "order-2" }] });
  });

  it("counts messages by state, with the oldest ones and why messages are dead", async () => {
    const { engine, get, clock } = inspected();
    await deadLettered(engine, "orders", [{ ...order(1), reason: "Late" }, order(2), { ...order(3), reason: "Late" }]);
    const died = new Date(clock.now()).toISOString();
    await clock.advance(1000);
    const sender = await engine.openSender("orders");
    await sender.send([envelope(order(4)), envelope(order(5)), envelope(order(6))]);
    const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
    const [first] = await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 0 });
    if (first?.lockToken !== undefined) await engine.settle("orders", first.lockToken, { kind: "defer" });

    const { body } = await get("api/entities");

    const oldest = new Date(clock.now()).toISOString();
    const reasons = [
      { reason: "Late", count: 2 },
      { reason: "", count: 1 },
    ];
    expect(body).toMatchObject({
      entities: [
        { active: 2, deadLetter: 3, detail: { deferred: 1, locked: 1, oldest, oldestDeadLetter: died, reasons } },
      ],
    });
  });

  it("says who holds a session until when, and shows its state as text or in hex", async () => {
    const { engine, get } = inspected({ queues: { orders: { requiresSession: true } } });
    const shipping = await engine.connect({ name: "shipping" });
    const options = { receiveMode: "peekLock", maxWaitTimeInMs: 0 } as const;
    const held = await shipping.acceptSession("orders", { ...options, sessionId: "a" });
    await held.setSessionState(Buffer.from('{"step":2}'));
    const other = await shipping.acceptSession("orders", { ...options, sessionId: "b" });
    await other.setSessionState(Uint8Array.of(0xff, 1));
    await other.close();

    const { body } = await get("api/sessions?entity=orders");

    const until = held.sessionLockedUntilUtc().toISOString();
    expect(body).toMatchObject({
      sessions: [
        {
          head: null,
          detail: { holder: "shipping", lockedUntilUtc: until, state: '{"step":2}', stateSizeInBytes: 10 },
        },
        { head: null, detail: { holder: null, lockedUntilUtc: null, state: "ff01" } },
      ],
      next: null,
    });
  });

  it("hides the states of sessions where bodies are hidden or members are redacted", async () => {
    for (const hiding of [{ bodies: "onRequest" }, { redact: ["card"] }] as const) {
      const { engine, get } = inspected({ queues: { orders: { requiresSession: true } } }, hiding);
      const options = { receiveMode: "peekLock", maxWaitTimeInMs: 0, sessionId: "a" } as const;
      await (await engine.acceptSession("orders", options)).setSessionState(Buffer.from("secret"));

      const { body, text } = await get("api/sessions?entity=orders");

      expect(body).toMatchObject({ sessions: [{ detail: { state: null, stateSizeInBytes: 6 } }] });
      expect(text).not.toContain("secret");
    }
  });

  it("says what the engine does not know, and lists sessions without it", async () => {
    const { engine, get } = inspected({ queues: { orders: { requiresSession: true } } });
    const capabilities = { ...engine.capabilities, inspect: { level: "refused" } as const };
    vi.spyOn(engine, "capabilities", "get").mockReturnValue(capabilities);
    await (await engine.openSender("orders")).send([envelope(order(1, { sessionId: "a" }))]);

    expect((await get("api/session")).body).toMatchObject({ inspects: false });
    expect((await get("api/entities")).body).toMatchObject({ entities: [{ path: "orders", detail: null }] });
    expect((await get("api/sessions?entity=orders")).body).toMatchObject({
      sessions: [{ sessionId: "a", head: { messageId: "order-1" }, detail: null }],
    });
  });

  it("finds the other messages of a conversation by the ids that they share", async () => {
    const { engine, get } = inspected();
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
    await (
      await engine.openSender("orders")
    ).send([
      envelope(order(1)),
      envelope({ ...order(2, { correlationId: "order-1" }), applicationProperties: { traceparent } }),
      envelope({ ...order(3), applicationProperties: { traceparent } }),
    ]);

    const { body: story } = await get("api/message?entity=orders&sequence=2");
    const answers = await get("api/messages?entity=orders&related=order-1");
    const traced = await get(`api/messages?entity=orders&related=${trace}`);

    expect(story).toMatchObject({ related: ["order-2", "order-1", trace] });
    expect(answers.body).toMatchObject({ rows: [{ messageId: "order-1" }, { messageId: "order-2" }] });
    expect(traced.body).toMatchObject({ rows: [{ messageId: "order-2" }, { messageId: "order-3" }] });
  });

  it("lists sessions with the first message of each", async () => {
    const { engine, get } = inspected({ queues: { orders: { requiresSession: true } } });
    const sender = await engine.openSender("orders");
    await sender.send(["b", "a", "b"].map((sessionId, index) => envelope(order(index, { sessionId }))));

    const { body } = await get("api/sessions?entity=orders");

    expect(body).toMatchObject({
      sessions: [
        { sessionId: "a", head: { messageId: "order-1" } },
        { sessionId: "b", head: { messageId: "order-0" } },
      ],
    });
  });

  it("exports messages in the format of captures", async () => {
    const { engine, get, post } = inspected({ queues: ["orders", "copies"] });
    await deadLettered(engine, "orders", [order(1)]);

    const { text, headers } = await get(`api/export?entity=${dead}`);
    const { body } = await post("api/import", { entity: "copies", lines: text });
    const [copy] = await engine.peek("copies", { maxMessages: 1 });

    expect(headers["content-type"]).toBe("application/x-ndjson");
    expect(JSON.parse(text)).toMatchObject({ version: 1, delivery: { sequenceNumber: { $int64: "1" } } });
    expect(body).toEqual({ count: 1 });
    expect(copy?.envelope).toMatchObject({ brokerProperties: { messageId: "order-1" }, applicationProperties: {} });
  });
});

describe("the story of a message", () => {
  it("has every attempt of the chain, the payload's bytes and the AMQP sections", async () => {
    const { engine, get } = inspected();
    await deadLettered(engine, "orders", [{ ...broken("b"), reason: "Unreadable", description: "No codec." }]);

    const { body } = await get(`api/message?entity=${dead}&sequence=1`);

    expect(body).toMatchObject({
      row: { messageId: "b", reason: "Unreadable", description: "No codec.", error: "json: DecodeFailed", codec: null },
      hidden: false,
      verdict: {
        ok: false,
        error: { code: "Unreadable" },
        attempts: [{ codec: "json", outcome: "failed", code: "DecodeFailed", offset: 1 }],
      },
      payload: Buffer.from("{oops").toString("base64"),
      timeline: [{ what: "enqueued as #1" }, { what: "dead-lettered as #1: Unreadable" }],
    });
    expect(JSON.stringify(body)).toMatch(/"name":"properties".*"label":"content-type".*application\/json/);
  });

  it("has the attempts that the consumer has recorded, and the reason why its handler failed", async () => {
    const { engine, client, get } = inspected();
    await client.createSender("orders").sendEnvelopes(envelope(broken("b")));
    await client.createReceiver("orders", { onUnreadable: "dead-letter" }).receiveMessages(1);

    const { body } = await get(`api/message?entity=${dead}&sequence=1`);

    expect(engine.name).toBe("memory");
    expect(body).toMatchObject({
      recorded: { code: "Unreadable", attempts: [{ codec: "json", code: "DecodeFailed" }] },
      applicationProperties: {},
    });
  });

  it("says which version of its type reads it, and why another does not", async () => {
    const number = jsonSchema({ type: "object", properties: { id: { type: "integer" } }, required: ["id"] });
    const text = jsonSchema({ type: "object", properties: { id: { type: "string" } }, required: ["id"] });
    const Order = defineMessage(
      "acme.order",
      { 1: number, 2: text },
      { upcast: { 1: ({ id }) => ({ id: String(id) }) } },
    );
    const { engine, get } = inspected(undefined, { messageTypes: [Order] });
    await deadLettered(engine, "orders", [
      { ...order(7), applicationProperties: { "sobre-type": "acme.order", "sobre-version": 2 } },
    ]);

    const { body } = await get(`api/message?entity=${dead}&sequence=1`);

    expect(body).toMatchObject({
      versions: [
        { type: "acme.order", version: 1, declared: false, reads: true, why: "" },
        { type: "acme.order", version: 2, declared: true, reads: false, why: expect.stringContaining("$.id") },
      ],
    });
  });

  it("redacts members and properties at any depth, and then shows no bytes and finds none by searching", async () => {
    const { engine, get } = inspected(undefined, { redact: ["card", "Authorization"] });
    await deadLettered(engine, "orders", [
      {
        payload: Buffer.from('{"lines":[{"card":"4111"}],"name":"Ana"}'),
        brokerProperties: { contentType: "application/json" },
        applicationProperties: { authorization: "secret-token" },
      },
    ]);

    const story = await get(`api/message?entity=${dead}&sequence=1`);
    const found = await get(`api/messages?entity=${dead}&text=4111`);
    const exported = await get(`api/export?entity=${dead}`);

    expect(story.text).toContain("Ana");
    expect(story.text).not.toMatch(/4111|secret-token/);
    expect(story.body).toMatchObject({ payload: null, sections: [] });
    expect(found.body).toMatchObject({ rows: [] });
    expect(exported.status).toBe(400);
  });

  it("leaves bodies out until they are asked for when it is to, and notes who did", async () => {
    const { engine, get, audit } = inspected(undefined, { bodies: "onRequest" });
    await deadLettered(engine, "orders", [order("ana")]);

    const hidden = await get(`api/message?entity=${dead}&sequence=1`);
    const shown = await get(`api/message?entity=${dead}&sequence=1&body=1`);

    expect(hidden.body).toMatchObject({ hidden: true, payload: null, sections: [] });
    expect(hidden.text).not.toContain('"ana"');
    expect(shown.body).toMatchObject({ hidden: false, verdict: { body: { id: "ana" } } });
    expect(audit).toMatchObject([{ caller: "tester", action: "read the body", entity: dead, detail: "#1" }]);
  });

  it("keeps names such as __proto__, markup and control characters as they are", async () => {
    const { engine, get } = inspected(undefined, {
      serializer: createSerializer({ codecs: [json({ protoKey: "keep" })] }),
    });
    const text =
      '{"__proto__":{"a":1},"html":"<img src=x onerror=alert(1)>","bidi":"\\u202eevil","ansi":"\\u001b[31m"}';
    await deadLettered(engine, "orders", [
      { payload: Buffer.from(text), brokerProperties: { contentType: "application/json", subject: "<b>" } },
    ]);

    const { body, text: answer, headers } = await get(`api/message?entity=${dead}&sequence=1`);

    expect(answer).toContain('"__proto__":{"a":1}');
    expect(body).toMatchObject({ verdict: { body: { html: "<img src=x onerror=alert(1)>", bidi: "\u202eevil" } } });
    expect(headers).toMatchObject({ "content-type": "application/json", "x-content-type-options": "nosniff" });
  });
});
