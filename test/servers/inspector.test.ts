import { writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { durableEngine } from "../../src/engines/durable/index.ts";
import { azureEngine } from "../../src/engines/azure/index.ts";
import type { Engine } from "../../src/engine/index.ts";
import { createEnvelope } from "../../src/envelope/index.ts";
import { createInspector } from "../../src/inspector/index.ts";
import { createSerializer } from "../../src/codec/index.ts";
import { jsonSchema } from "../../src/json-schema/index.ts";
import { defineMessage } from "../../src/message/index.ts";
import { startServer } from "../../src/server/index.ts";
import { json } from "../../codecs/json/index.ts";
import { storeDirectory } from "../engines/durable/store-directory.support.ts";
import { broken, deadLettered, order } from "../inspector/inspected.support.ts";
import { late, launch, memory, openPage, serveInspector } from "./browser.support.ts";

let browser: Awaited<ReturnType<typeof launch>>;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const dead = "orders/$DeadLetterQueue";
const deadPlace = "#/e/orders/dead";

const idsIn = async (engine: Engine, entity: string): Promise<readonly unknown[]> =>
  (await engine.peek(entity, { maxMessages: 50 })).map(({ envelope }) => envelope.brokerProperties.messageId);

const engines: readonly (readonly [string, () => Promise<Engine>])[] = [
  ["memory", async () => memory()],
  [
    "durable",
    async () => {
      const engine = await durableEngine({ directory: await storeDirectory(), queues: ["orders"] });
      onTestFinished(() => engine.close());
      return engine;
    },
  ],
  [
    "azure, on a server",
    async () => {
      const server = await startServer({ queues: ["orders"] });
      const engine = azureEngine({ connectionString: server.connectionString, leastWait: 0 });
      onTestFinished(async () => {
        await engine.close();
        await server.close();
      });
      return engine;
    },
  ],
];

describe.each(engines)("a newcomer at the %s engine", (_name, make) => {
  it("finds why messages fail, repairs one, and re-drives all of that reason, in at most 12 actions", async () => {
    const engine = await make();
    await deadLettered(engine, "orders", [late(1), { ...broken("b1"), reason: "Unreadable" }, late(2), late(3)]);
    const page = await openPage(browser);
    let actions = 0;
    const act = async (action: () => Promise<unknown>): Promise<void> => {
      actions++;
      await action();
    };

    await act(async () => page.goto(await serveInspector(engine)));
    await act(() => page.locator("td a.bad").click());
    await act(() => page.getByRole("button", { name: /^Unreadable/ }).click());
    await act(() => page.getByRole("option").first().click());
    await page.getByRole("heading", { name: /Every attempt/ }).waitFor();
    expect(await page.locator(".attempts").first().innerText()).toContain("json DecodeFailed at byte 1");
    await act(() => page.getByLabel("Payload, as text in UTF-8").fill('{"id":4}'));
    await page.getByRole("heading", { name: "The chain would say: read by json" }).waitFor();
    await act(() => page.getByRole("button", { name: "Send the repaired message back…" }).click());
    await act(() => page.getByRole("button", { name: /^Dry run/ }).click());
    await act(() => page.getByRole("button", { name: /^Send 1 message to .* and remove it here/ }).click());
    await page.getByText("done").first().waitFor();
    await act(() => page.goto(`${page.url().split("#")[0]}${deadPlace}?reason=TooLate`));
    await act(() => page.getByRole("button", { name: "Re-drive all that match…" }).click());
    await act(() => page.getByRole("button", { name: /^Dry run/ }).click());
    await act(() => page.getByRole("button", { name: /^Send 3 messages/ }).click());
    await page.getByText("done").first().waitFor();

    expect(actions).toBeLessThanOrEqual(12);
    expect(await idsIn(engine, "orders")).toEqual(["b1", "order-1", "order-2", "order-3"]);
    expect(await idsIn(engine, dead)).toEqual([]);
  });
});

describe("the page", () => {
  it("shows every entity with its counts, and follows them", async () => {
    const engine = memory({ queues: ["orders", "refunds"], topics: { prices: { subscriptions: ["eu"] } } });
    await deadLettered(engine, "orders", [late(1)]);
    const page = await openPage(browser);

    await page.goto(await serveInspector(engine));
    await page.getByRole("link", { name: "prices/Subscriptions/eu" }).waitFor();
    await deadLettered(engine, "orders", [late(2)]);
    await page.getByRole("img", { name: "Dead letters of orders: rising, now 2" }).waitFor();
    await page.getByLabel("Filter entities by name").fill("ref");

    expect(await page.locator("tbody tr").count()).toBe(1);
  });

  it("groups dead letters, narrows the list to a group, and names that in its address", async () => {
    const engine = memory();
    await deadLettered(engine, "orders", [late(1), { ...broken("b1"), reason: "Unreadable" }, late(2)]);
    const page = await openPage(browser);

    await page.goto(`${await serveInspector(engine)}${deadPlace}`);
    await page.getByRole("button", { name: "TooLate 2" }).click();
    await page.getByText("2 messages, 3 looked at").waitFor();
    await page.reload();
    await page.getByText("2 messages, 3 looked at").waitFor();

    expect(page.url()).toContain("?reason=TooLate");
    expect(await page.getByRole("option").count()).toBe(2);
  });

  it("searches in bodies, and by a member of the body", async () => {
    const engine = memory();
    await deadLettered(engine, "orders", [late(1), late(2), late(3)]);
    const page = await openPage(browser);

    await page.goto(`${await serveInspector(engine)}${deadPlace}`);
    await page.getByLabel("Search in bodies, properties and reasons").fill("order-2");
    await page.getByText("1 message, 3 looked at").waitFor();
    await page.getByLabel("Search in bodies, properties and reasons").fill("");
    await page.getByLabel("Filter by a member of the body").fill("$.id > 1");
    await page.getByText("2 messages, 3 looked at").waitFor();
  });

  it("shows a message's body, versions, properties, bytes, sections and timeline, and copies it as code", async () => {
    const text = jsonSchema({ type: "object", properties: { id: { type: "string" } }, required: ["id"] });
    const Order = defineMessage("acme.order", { 1: text });
    const engine = memory();
    const typed = { "sobre-type": "acme.order", "sobre-version": 1 };
    await deadLettered(engine, "orders", [{ ...late(7), applicationProperties: typed }]);
    const page = await openPage(browser);

    await page.goto(`${await serveInspector(engine, { messageTypes: [Order] })}#/m/orders%2F%24DeadLetterQueue/1`);
    const main = page.locator("main");
    await page.getByRole("heading", { name: "AMQP, section by section" }).waitFor();
    await page.getByText("as code").first().click();
    const shown = await main.innerText();

    expect(shown).toContain("read by json");
    expect(shown).toContain("acme.order v1 (declared): ");
    expect(shown).toContain("7b 22 69 64 22 3a 37 7d");
    expect(shown).toContain('content-type  symbol  "application/json"');
    expect(shown).toContain("dead-lettered as #1: TooLate");
    expect(shown).toContain('payload: Buffer.from("eyJpZCI6N30=", "base64")');
  });

  it("shows at once what the chain says of another content type, with the difference", async () => {
    const engine = memory();
    const payload = Uint8Array.of(0x81, 0xa2, 0x69, 0x64, 7);
    await deadLettered(engine, "orders", [{ payload, brokerProperties: { contentType: "application/json" } }]);
    const page = await openPage(browser);

    await page.goto(`${await serveInspector(engine)}#/m/orders%2F%24DeadLetterQueue/1`);
    await page.getByLabel("Content type").fill("application/msgpack");
    await page.getByRole("heading", { name: "The chain would say: read by msgpack" }).waitFor();

    expect(await page.locator(".diff .added").innerText()).toContain("content type: application/msgpack");
    expect(await page.locator(".verdict pre").first().innerText()).toContain('"id": 7');
  });

  it("re-drives a selection; the outcome is kept when the tab is closed", async () => {
    const engine = memory();
    await deadLettered(engine, "orders", [late(1), late(2), late(3)]);
    const at = await serveInspector(engine);
    const page = await openPage(browser);

    await page.goto(`${at}${deadPlace}`);
    await page.locator(".tick").nth(1).click();
    await page.getByRole("button", { name: "Re-drive 1 selected dead letter…" }).click();
    await page.getByRole("button", { name: /^Dry run/ }).click();
    await page.getByText("1 message of 3 would be sent.").waitFor();
    expect(await idsIn(engine, "orders")).toEqual([]);
    await page.getByRole("button", { name: /^Send 1 message to/ }).click();
    await page.getByText("done").first().waitFor();
    await page.close();
    const another = await openPage(browser);
    await another.goto(`${at}#/redrives`);
    await another.locator(".jobs a").first().click();
    await another.getByText("Each is sent and removed in one transaction").waitFor();

    expect(await another.locator("tbody").innerText()).toMatch(/#2 order-2\s+sent/);
    expect(await idsIn(engine, "orders")).toEqual(["order-2"]);
  });

  it("lists sessions, and what is scheduled and deferred", async () => {
    const engine = memory({ queues: { carts: { requiresSession: true }, orders: {} } });
    await (await engine.openSender("carts")).send([createEnvelope(order(1, { sessionId: "cart-9" }))]);
    const at = new Date(Date.now() + 3_600_000);
    await engine.schedule("orders", [createEnvelope(order(2, { scheduledEnqueueTimeUtc: at }))]);
    const page = await openPage(browser);

    const base = await serveInspector(engine);
    await page.goto(`${base}#/e/carts/sessions`);
    await page.getByRole("link", { name: "cart-9" }).click();
    await page.getByText("1 message, 1 looked at").waitFor();
    await page.goto(`${base}#/e/orders/messages`);
    await page.getByLabel("State").selectOption("scheduled");
    await page.getByText("scheduled").nth(1).waitFor();
    await page.getByLabel("State").selectOption("deferred");
    await page.getByText("Nothing matches.").waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await page.getByText("1 message, 1 looked at").waitFor();
  });

  it("follows what arrives when it is live", async () => {
    const engine = memory();
    const page = await openPage(browser);

    await page.goto(`${await serveInspector(engine)}#/e/orders/messages`);
    await page.getByText("No messages here.").waitFor();
    await page.getByLabel("live").check();
    await (await engine.openSender("orders")).send([createEnvelope(order(1))]);

    await page.getByText("order-1").waitFor();
  });

  it("exports and imports captures, and deletes when the name is typed", async () => {
    const engine = memory();
    await deadLettered(engine, "orders", [late(1), late(2)]);
    const page = await openPage(browser);

    await page.goto(`${await serveInspector(engine)}${deadPlace}`);
    await page.getByText("More").click();
    const downloaded = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export all as a capture" }).click();
    const path = join(await storeDirectory(), "capture.ndjson");
    writeFileSync(path, readFileSync(await (await downloaded).path()));
    await page.getByRole("button", { name: "Delete all…" }).click();
    const remove = page.getByRole("button", { name: `Delete every message of ${dead}` });
    expect(await remove.isDisabled()).toBe(true);
    await page.getByLabel(/^This deletes every message/).fill(dead);
    await remove.click();
    await page.getByText("2 messages deleted.").waitFor();
    await page.getByLabel(/^Import a capture/).setInputFiles(path);
    await page.getByText("2 messages sent to orders.").waitFor();

    expect(await idsIn(engine, dead)).toEqual([]);
    expect(await idsIn(engine, "orders")).toEqual(["order-1", "order-2"]);
  });

  it("only reads unless changes are allowed, hides bodies, and says that it is production, where it is told to", async () => {
    const engine = memory();
    await deadLettered(engine, "orders", [late(1)]);
    const onAudit = vi.fn();
    const page = await openPage(browser);

    const options = { changes: false, bodies: "onRequest", production: true, onAudit } as const;
    await page.goto(`${await serveInspector(engine, options)}#/m/orders%2F%24DeadLetterQueue/1`);
    await page.getByText("PRODUCTION").waitFor();
    await page.getByText("read-only").waitFor();
    expect(await page.locator("main").innerText()).not.toContain('"id"');
    await page.getByRole("button", { name: /^Show the body/ }).click();
    await page.getByText('"id": 1').first().waitFor();

    expect(onAudit).toHaveBeenCalledWith(expect.objectContaining({ action: "read the body", detail: "#1" }));
    expect(await page.getByRole("button", { name: /^Delete all/ }).count()).toBe(0);
  });

  it("asks for a connection string where there are keys, and acts with its rights alone", async () => {
    const inspector = createInspector({ serializer: createSerializer({ codecs: [json()] }) });
    const keys = { root: "a", reader: { key: "b", rights: ["Listen"] as const } };
    await using server = await startServer({ queues: ["orders"], httpHandler: inspector, keys });
    const string = (name: string, key: string): string =>
      `Endpoint=sb://localhost:${server.port};SharedAccessKeyName=${name};SharedAccessKey=${key}`;
    const page = await openPage(browser);

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
});
