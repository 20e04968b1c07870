import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { serveUi } from "../../src/cli/serve/ui.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import type { Engine } from "../../src/core/engine/index.ts";
import { envelopeFromJson } from "../../src/core/envelope/index.ts";
import { createInspector } from "../../src/serve/inspector/index.ts";
import { jsonSchema } from "../../src/core/json-schema/index.ts";
import { defineMessage } from "../../src/core/message/index.ts";
import { startServer } from "../../src/serve/server/index.ts";
import { captureTerminal } from "../cli/captured-terminal.support.ts";
import { storeDirectory } from "../broker/durable/store-directory.support.ts";
import { broken, deadLettered, envelope, order } from "../serve/inspector/inspected.support.ts";
import { late, launch, memory, openPage, serveInspector, stage } from "./browser.support.ts";
import { dead, deadMessage, deadPlace, idsIn, scenarios } from "./inspector-scenarios.support.ts";

let browser: Awaited<ReturnType<typeof launch>>;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const cell = (row: string, column: number): string => `tr:has(th:has-text("${row}")) > :nth-child(${column})`;

describe("the features of the page", () => {
  it.each(scenarios)("$name", async ({ run }) => {
    await run(await stage(browser, memory()));
  });

  it("11. every entity is listed with its active, dead, scheduled, deferred and locked messages, and its reasons", async () => {
    const engine = memory({ queues: ["orders", "refunds"], topics: { prices: { subscriptions: ["eu"] } } });
    const { page, open } = await stage(browser, engine);
    await deadLettered(engine, "orders", [late(1), late(2)]);
    const sender = await engine.openSender("orders");
    await sender.send([envelope(order(3)), envelope(order(4)), envelope(order(5))]);
    const at = new Date(Date.now() + 3_600_000);
    await engine.schedule("orders", [envelope(order(6, { scheduledEnqueueTimeUtc: at }))]);
    await defersOneOf(2, engine);
    await (await engine.openSender("prices")).send([envelope(order(7))]);

    await open("#/");
    await page.getByRole("link", { name: "TooLate 2" }).waitFor();

    const shown = await Promise.all([2, 3, 4, 5, 6].map((column) => page.locator(cell("orders", column)).innerText()));
    expect(shown).toEqual(["2", "2", "1", "1", "1"]);
    expect(await page.locator(cell("prices/Subscriptions/eu", 2)).innerText()).toBe("1");
    await page.getByLabel("Filter entities by name").fill("ref");
    await page.getByText("refunds").waitFor();
    expect(await page.locator("tbody tr").count()).toBe(1);
  });

  it("12. sessions are listed with their holder, state and first message", async () => {
    const engine = memory({ queues: { carts: { requiresSession: true } } });
    const { page, open } = await stage(browser, engine);
    const sender = await engine.openSender("carts");
    await sender.send([envelope(order(1, { sessionId: "cart-1" })), envelope(order(2, { sessionId: "cart-2" }))]);
    const service = await engine.connect({ name: "cart-service" });
    const cart = { receiveMode: "peekLock", sessionId: "cart-1", maxWaitTimeInMs: 0 } as const;
    const held = await service.acceptSession("carts", cart);
    await held.setSessionState(Buffer.from('{"step":"paid"}'));

    await open("#/e/carts/sessions");
    await page.getByRole("row", { name: /^cart-1 cart-service .* #1 order-1/ }).waitFor();
    await page.getByRole("row", { name: /^cart-2 nobody .*1 #2 order-2/ }).waitFor();
    await page.getByText(/^15 B, set/).click();
    await page.getByText('{"step":"paid"}').waitFor();
    await page.getByRole("link", { name: "cart-2" }).click();
    await page.getByText("1 message, 1 looked at").waitFor();

    expect(await page.locator(".row").innerText()).toContain("order-2");
  });

  it("13. scheduled and deferred messages are listed by their state", async () => {
    const engine = memory();
    const { page, open } = await stage(browser, engine);
    const sender = await engine.openSender("orders");
    await sender.send([envelope(order(1)), envelope(order(2))]);
    await defersOneOf(1, engine);
    const at = new Date(Date.now() + 3_600_000);
    await engine.schedule("orders", [envelope(order(3, { scheduledEnqueueTimeUtc: at }))]);

    await open("#/e/orders/messages");
    for (const [state, id] of [
      ["scheduled", "order-3"],
      ["deferred", "order-1"],
      ["active", "order-2"],
    ] as const) {
      await page.getByLabel("State").selectOption(state);
      await page.locator(`.row:only-child:has-text("${id}")`).waitFor();
    }
  });

  it("14. a filter compares a member of the body", async () => {
    const { engine, page, open } = await stage(browser, memory());
    await deadLettered(
      engine,
      "orders",
      [6, 7, 8].map((id) => ({ ...order(id), payload: Buffer.from(JSON.stringify({ customer: { id } })) })),
    );

    await open(deadPlace);
    await page.getByLabel("Filter by a member of the body").fill("$.customer.id = 7");
    await page.getByText("1 message, 3 looked at").waitFor();
    expect(await page.locator(".row").innerText()).toContain("order-7");
    await page.getByLabel("Filter by a member of the body").fill("$.customer.id > 6");
    await page.getByText("2 messages, 3 looked at").waitFor();
    await page.getByLabel("Filter by a member of the body").fill("customer");
    await page.getByText(/must be a filter such as/).waitFor();
  });

  it("15. an export is a capture, which an import sends to the queue", async () => {
    const { engine, page, open } = await stage(browser, memory());
    await deadLettered(engine, "orders", [late(1), late(2)]);

    await open(deadPlace);
    await page.getByText("More").click();
    const downloaded = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export all as a capture" }).click();
    const path = join(await storeDirectory(), "capture.ndjson");
    writeFileSync(path, readFileSync(await (await downloaded).path()));
    await page.getByText("2 messages exported.").waitFor();
    await page.getByLabel(/^Import a capture into orders/).setInputFiles(path);
    await page.getByText("2 messages sent to orders.").waitFor();

    expect(await idsIn(engine, "orders")).toEqual(["order-1", "order-2"]);
    expect(await idsIn(engine, dead)).toEqual(["order-1", "order-2"]);
  });

  it("16. the timeline of a message leads to those of its conversation and trace, wherever they are", async () => {
    const engine = memory({ queues: ["orders", "payments"] });
    const { page, open } = await stage(browser, engine);
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    await deadLettered(engine, "orders", [
      { ...late(1), applicationProperties: { traceparent, "sobre-redrives": 2 } },
      late(2),
    ]);
    const answer = { ...order("answer", { correlationId: "order-1" }), applicationProperties: {} };
    const traced = { ...order("traced"), applicationProperties: { traceparent } };
    await (await engine.openSender("payments")).send([envelope(answer), envelope(traced), envelope(order("other"))]);

    await open(deadMessage(1));
    await page.getByText("part of the trace 4bf92f3577b34da6a3ce929d0e0e4736").waitFor();
    await page.getByText("sent back from the dead letters 2 times before").waitFor();
    await page.getByText("dead-lettered as #1: TooLate").waitFor();
    await page.getByRole("button", { name: "Find related messages" }).click();
    await page.getByRole("link", { name: "#1 order-answer" }).waitFor();

    expect(await page.locator(".timeline a").count()).toBe(2);
    await page.getByRole("link", { name: "#2 order-traced" }).click();
    await page.getByRole("heading", { name: "#2 order-traced" }).waitFor();
  });

  it("17. the schema's verdict says which version reads a body, and why another does not", async () => {
    const text = jsonSchema({ type: "object", properties: { id: { type: "string" } }, required: ["id"] });
    const Order = defineMessage("acme.order", { 1: text });
    const { engine, page, open } = await stage(browser, memory());
    const typed = { "sobre-type": "acme.order", "sobre-version": 1 };
    await deadLettered(engine, "orders", [
      { ...late(7), applicationProperties: typed },
      { ...order("ok"), applicationProperties: typed },
    ]);

    const at = await open(deadMessage(1), { messageTypes: [Order] });
    await page
      .getByText(/must be string/)
      .first()
      .waitFor();
    await page.getByLabel("Body, as a value").fill('{"id":"7"}');
    await page.locator(".verdict .good:text-is('reads it')").waitFor();
    await page.goto(`${at}${deadMessage(2)}`);
    await page.getByText("acme.order v1 (declared): reads it").first().waitFor();
  });

  it("18. a selection is deleted when its path is typed, after seconds in which that is undone", async () => {
    const { engine, page, open } = await stage(browser, memory());
    await deadLettered(engine, "orders", [late(1), late(2), late(3)]);

    await open(deadPlace);
    await page.locator(".tick").nth(1).click();
    await page.getByText("More").click();
    for (const ending of ["undone", "done"] as const) {
      await page.getByRole("button", { name: "Delete 1 selected dead letter…" }).click();
      const remove = page.getByRole("button", { name: `Delete 1 selected dead letter in ${dead}` });
      expect(await remove.isDisabled()).toBe(true);
      await page.getByLabel(/^This deletes 1 selected dead letter/).fill(dead);
      await remove.click();
      await page.getByText(/^Deleting begins in/).waitFor();
      if (ending === "done") break;
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("Nothing was deleted.").waitFor();
    }
    await page.getByText("2 messages, 2 looked at").waitFor();
    expect(await idsIn(engine, dead)).toEqual(["order-1", "order-3"]);
    await page.getByRole("button", { name: "Delete all…" }).click();
    await page.getByLabel(/^This deletes every message/).fill(dead);
    await page.getByRole("button", { name: `Delete every message in ${dead}` }).click();
    await page.getByText(`2 messages deleted in ${dead}.`).waitFor();

    expect(await idsIn(engine, dead)).toEqual([]);
  });

  it("19. messages are sent to another queue, or to another broker", async () => {
    const engine = memory({ queues: ["orders", "manual"] });
    const staging = memory({ queues: ["orders"] });
    const { page, open } = await stage(browser, engine);
    await deadLettered(engine, "orders", [late(1), late(2)]);

    const at = await open(deadPlace, { brokers: { staging } });
    await page.locator(".tick").nth(0).click();
    await page.getByRole("button", { name: "Re-drive 1 selected dead letter…" }).click();
    await page.getByLabel("Send to").fill("manual");
    await page.getByRole("button", { name: /^Dry run/ }).click();
    await page.getByRole("button", { name: "Send 1 message to manual and remove it here" }).click();
    await page.locator(".badge.ok").waitFor();
    await page.goto(`${at}${deadPlace}`);
    await page.getByRole("button", { name: "Re-drive all…" }).click();
    await page.getByLabel("Broker").selectOption("staging");
    await page.getByRole("button", { name: /^Dry run/ }).click();
    await page.getByRole("button", { name: /^Send 1 message to where they came from .* on staging/ }).click();
    await page.getByText(/What was being sent when the server ended is not sent again/).waitFor();
    await page.locator(".badge.ok").waitFor();

    expect(await idsIn(engine, "manual")).toEqual(["order-1"]);
    expect(await idsIn(staging, "orders")).toEqual(["order-2"]);
    expect(await idsIn(engine, dead)).toEqual([]);
  });

  it("20. a live list shows what arrives", async () => {
    const { engine, page, open } = await stage(browser, memory());

    await open("#/e/orders/messages");
    await page.getByText("No messages here.").waitFor();
    await page.getByLabel("live").check();
    await (await engine.openSender("orders")).send([envelope(order(1))]);

    await page.getByText("order-1").waitFor();
  });

  it("21. redacted members are not shown, and bodies are hidden until somebody asks, which is noted", async () => {
    const { engine, page, open } = await stage(browser, memory());
    const onAudit = vi.fn();
    const card = { payload: Buffer.from('{"id":1,"card":"4111-1111"}'), applicationProperties: { card: "4222-2222" } };
    await deadLettered(engine, "orders", [{ ...late(1), ...card }]);

    await open(deadMessage(1), { redact: ["card"], bodies: "onRequest", production: true, onAudit });
    await page.getByText("PRODUCTION").waitFor();
    expect(await page.locator("main").innerText()).not.toContain('"id"');
    await page.getByRole("button", { name: /^Show the body/ }).click();
    await page.getByText('"card": "(redacted)"').waitFor();

    expect(await page.locator("body").innerText()).not.toMatch(/4111|4222/);
    expect(onAudit).toHaveBeenCalledWith(expect.objectContaining({ action: "read the body", detail: "#1" }));
  });

  it("22. it only reads unless changes are allowed, asks for a connection string where there are keys, and has its rights", async () => {
    const { engine, page, open } = await stage(browser, memory());
    await deadLettered(engine, "orders", [late(1)]);
    await open(deadPlace, { changes: false });
    await page.getByText("read-only").waitFor();
    await page.getByRole("button", { name: "Re-drive all…" }).click();
    await page.getByRole("button", { name: /^Dry run/ }).click();
    await page.getByText("This inspector only reads.").waitFor();
    expect(await page.getByRole("button", { name: /^(?:Send|Delete)/ }).count()).toBe(0);

    const inspector = createInspector({ serializer: createSerializer({ codecs: [json()] }) });
    const keys = { root: "a", reader: { key: "b", rights: ["Listen"] as const } };
    await using server = await startServer({ queues: ["orders"], httpHandler: inspector, keys });
    const string = (name: string, key: string): string =>
      `Endpoint=sb://localhost:${server.port};SharedAccessKeyName=${name};SharedAccessKey=${key}`;
    await page.goto(`http://localhost:${server.port}/`);
    await page.getByLabel("Connection string").fill(string("reader", "wrong"));
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByText(/key name or the signature of the token is wrong/).waitFor();
    await page.getByLabel("Connection string").fill(string("reader", "b"));
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByText("as reader").waitFor();
    await page.getByText(/does not grant Manage/).waitFor();
    await page.getByLabel("Path of the entity").fill("orders");
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("No dead letters here.").waitFor();
  });

  it("23. every place has an address: a list with its filters, a message, a re-drive", async () => {
    const { engine, page, open } = await stage(browser, memory());
    await deadLettered(engine, "orders", [late(1), order(2)]);

    await open(deadPlace);
    await page.getByRole("button", { name: "TooLate 1" }).click();
    await page.getByText("1 message, 2 looked at").waitFor();
    await page.getByRole("button", { name: "Re-drive all that match…" }).click();
    await page.getByRole("button", { name: /^Dry run/ }).click();
    const list = page.url();
    await page.locator(".row").first().click();
    await page.getByRole("heading", { name: "#1 order-1" }).waitFor();
    const message = page.url();
    await page.getByRole("link", { name: "Re-drives" }).click();
    await page.locator(".jobs a").first().click();
    await page.getByRole("heading", { name: "Dry run" }).waitFor();
    const redrive = page.url();

    const another = await openPage(browser);
    await another.goto(list);
    await another.getByText("1 message, 2 looked at").waitFor();
    await another.goto(message);
    await another.getByRole("heading", { name: "#1 order-1" }).waitFor();
    await another.goto(redrive);
    await another.getByRole("heading", { name: "Dry run" }).waitFor();
  });

  it("24. a message is copied as code, or as a fixture that is the same message", async () => {
    const { engine, page, open } = await stage(browser, memory());
    await deadLettered(engine, "orders", [{ ...late(7), applicationProperties: { tenant: "a", big: 2n ** 60n } }]);

    await open(deadMessage(1));
    await page.getByText("as code").first().click();
    await page.getByText('payload: Buffer.from("eyJpZCI6N30=", "base64")').waitFor();
    await page.getByText("as a test fixture").first().click();
    const fixture = await page.locator("details:has-text('as a test fixture') pre").innerText();

    const made = envelopeFromJson(JSON.parse(fixture));
    expect(Buffer.from(made.payload).toString()).toBe('{"id":7}');
    expect(made.brokerProperties).toMatchObject({ messageId: "order-7", contentType: "application/json" });
    expect(made.applicationProperties).toMatchObject({ tenant: "a" });
  });

  it("25. sparklines follow the depth of each queue and the age of its oldest message", async () => {
    const { engine, page, open } = await stage(browser, memory());
    await deadLettered(engine, "orders", [late(1)]);

    await open("#/");
    await page.getByRole("link", { name: "orders", exact: true }).waitFor();
    await deadLettered(engine, "orders", [late(2)]);
    await page.getByRole("img", { name: "Dead letters of orders: rising, now 2" }).waitFor();

    await page.getByRole("img", { name: /^Age in seconds of the oldest message of orders: rising, now \d+/ }).waitFor();
  });
});

describe("the page on every kind of broken message of the mailbox", () => {
  it("shows why each failed, and reads one under another content type", async () => {
    const terminal = captureTerminal();
    const { promise: stopped, stop } = stopping();
    const served = serveUi({ port: 0, mailbox: "fixtures/mailbox" }, terminal, stopped);
    await vi.waitFor(() => expect(terminal.text()).toContain("Ends with"), { interval: 5, timeout: 25_000 });
    const [at = ""] = /http:\S+/.exec(terminal.text()) ?? [];
    const page = await openPage(browser);

    await page.goto(`${at}#/e/mailbox/dead`);
    await page.getByText("11 messages, 11 looked at").waitFor();
    for (let sequence = 1; sequence <= 11; sequence++) {
      await page.goto(`${at}#/m/mailbox%2F%24DeadLetterQueue/${sequence}`);
      await page
        .getByRole("heading", { name: `#${sequence}` })
        .first()
        .waitFor();
      await page.getByRole("heading", { name: /The chain would say: [A-Z]/ }).waitFor();
      expect(await page.locator(".part:has(h2:text-is('Every attempt'))").innerText(), String(sequence)).toMatch(
        /\w{9}/,
      );
      expect(await page.locator(".badge.warn").first().innerText()).toBe("Unreadable");
    }
    await page.goto(`${at}#/e/mailbox/dead`);
    await page.getByRole("option", { name: /really-protobuf\.json/ }).click();
    await page.getByLabel("Content type").fill("text/plain; charset=iso-8859-1");
    await page.getByRole("heading", { name: "The chain would say: read by text" }).waitFor();
    stop();

    expect(await served).toBe(0);
  });
});

describe("an inspector that keeps bodies hidden", () => {
  it("has no body, byte or state of a session on the page", async () => {
    const engine = memory();
    await deadLettered(engine, "orders", [broken("b1")]);
    const page = await openPage(browser);

    await page.goto(`${await serveInspector(engine, { bodies: "onRequest" })}${deadMessage(1)}`);
    await page.getByRole("button", { name: /^Show the body/ }).waitFor();

    expect(await page.locator(".hex").count()).toBe(0);
    expect(await page.locator("main").innerText()).not.toContain("oops");
  });
});

/** Receives messages and defers the first. */
async function defersOneOf(maxMessages: number, engine: Engine): Promise<void> {
  const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
  const [first] = await receiver.receive({ maxMessages, maxWaitTimeInMs: 0 });
  if (first?.lockToken !== undefined) await engine.settle("orders", first.lockToken, { kind: "defer" });
}

function stopping(): { readonly promise: Promise<void>; readonly stop: () => void } {
  const controller = new AbortController();
  const promise = new Promise<void>((resolve) => controller.signal.addEventListener("abort", () => resolve()));
  return { promise, stop: () => controller.abort() };
}
