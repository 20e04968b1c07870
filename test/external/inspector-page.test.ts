import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { broken, deadLettered, order } from "../serve/inspector/inspected.support.ts";
import { axePath, late, launch, memory, openPage, type Page, serveInspector, stage } from "./browser.support.ts";
import { dead, deadPlace, idsIn } from "./inspector-scenarios.support.ts";

let browser: Awaited<ReturnType<typeof launch>>;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

const violations = async (page: Page): Promise<unknown> => {
  await page.addScriptTag({ path: axePath() }).catch(() => undefined);
  return page.evaluate(
    `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
      .then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))]))`,
  );
};

describe("the page for everyone", () => {
  it("shows all content as text, whatever it is", async () => {
    const engine = memory();
    const hostile = [
      "<img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>",
      "\u202Egnp.exe\u2066 \u001B[31mred\u0007",
      `long ${"x".repeat(900_000)}`,
      "javascript:alert(4)",
    ];
    const messages = hostile.map((text, index) => ({
      payload: Buffer.from(
        `{"text":${JSON.stringify(text)},"__proto__":{"isPolluted":true},"constructor":{"prototype":{"isPolluted":true}}}`,
      ),
      brokerProperties: { contentType: "application/json", subject: text.slice(0, 100), messageId: text.slice(0, 60) },
      applicationProperties: { [`<b>${index}</b>`]: text.slice(0, 100) },
      reason: text.slice(0, 80),
      description: text.slice(0, 80),
    }));
    await deadLettered(engine, "orders", messages);
    const page = await openPage(browser);

    const at = await serveInspector(engine);
    await page.goto(`${at}${deadPlace}`);
    await page.getByRole("option").nth(3).waitFor();
    for (let sequence = 1; sequence <= hostile.length; sequence++) {
      await page.goto(`${at}#/m/orders%2F%24DeadLetterQueue/${sequence}`);
      await page
        .getByRole("heading", { name: `#${sequence}` })
        .first()
        .waitFor();
      const made = await page.evaluate<number>("document.querySelectorAll('#app img, #app script, #app b > *').length");
      const controls = await page.evaluate<boolean>(
        String.raw`/[\u202a-\u202e\u2066-\u2069\u0007\u001b]/.test(document.querySelector("main").innerText)`,
      );
      expect([made, controls]).toEqual([0, false]);
      expect(await page.evaluate<boolean>("'isPolluted' in {}")).toBe(false);
    }
  });

  it("shows a deletion that is going on when other messages are selected meanwhile", async () => {
    const engine = memory();
    const deletion = new AbortController();
    const deleteMessages = engine.deleteMessages.bind(engine);
    vi.spyOn(engine, "deleteMessages").mockImplementation((path, options) =>
      once(deletion.signal, "abort").then(() => deleteMessages(path, options)),
    );
    const { page, open } = await stage(browser, engine);
    await deadLettered(engine, "orders", [late(1), late(2)]);

    await open(deadPlace);
    await page.getByText("More").click();
    await page.getByRole("button", { name: "Delete all…" }).click();
    await page.getByLabel(/^This deletes every message/).fill(dead);
    await page.getByRole("button", { name: `Delete every message in ${dead}` }).click();
    await page.getByText(`0 messages deleted in ${dead}…`).waitFor();
    await page.locator(".tick").nth(1).click();
    await page.getByText("1 selected dead letter").first().waitFor();
    await page.getByText("More").click(); // which a click elsewhere closes
    await page.getByText(`0 messages deleted in ${dead}…`).waitFor();
    deletion.abort();
    await page.getByText(`2 messages deleted in ${dead}.`).waitFor();

    expect(await idsIn(engine, dead)).toEqual([]);
  });

  it("is used with the keyboard alone", async () => {
    const engine = memory();
    await deadLettered(engine, "orders", [late(1), late(2)]);
    const page = await openPage(browser);

    await page.goto(`${await serveInspector(engine)}${deadPlace}`);
    await page.getByRole("option").nth(1).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("order");
    await page.waitForURL(/text=order/);
    await page.getByText("2 messages, 2 looked at").waitFor();
    await page.getByRole("option").nth(1).waitFor();
    await page.getByRole("listbox").focus();
    for (const key of ["j", "x", "Enter"]) await page.keyboard.press(key);
    await page.getByRole("heading", { name: "#2 order-2" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("listbox").waitFor();
  });

  it("offers to send only what a dry run has found: another selection needs another one", async () => {
    const engine = memory();
    await deadLettered(engine, "orders", [late(1), late(2)]);
    const page = await openPage(browser);
    const send = page.getByRole("button", { name: /^Send 1 message to/ });

    await page.goto(`${await serveInspector(engine)}${deadPlace}`);
    await page.locator(".tick").nth(0).click();
    await page.getByRole("button", { name: "Re-drive 1 selected dead letter…" }).click();
    await page.getByRole("button", { name: /^Dry run/ }).click();
    await send.waitFor();
    await page.locator(".tick").nth(1).click();
    await page.getByRole("heading", { name: "Re-drive 2 selected dead letters" }).waitFor();

    expect(await send.count()).toBe(0);
  });

  it("says why a dry run would send nothing to a target that detects duplicates", async () => {
    const engine = memory({ queues: { orders: { requiresDuplicateDetection: true } } });
    await deadLettered(engine, "orders", [late(1)]);
    const page = await openPage(browser, { viewport: { width: 360, height: 800 } });

    await page.goto(`${await serveInspector(engine)}${deadPlace}`);
    await page.getByRole("button", { name: "Re-drive all…" }).click();
    await page.getByRole("button", { name: /^Dry run/ }).click();
    await page.getByText(/0 messages of 1 would be sent, 1 could not.*detects duplicates/).waitFor();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    await page.getByLabel("Message ids").selectOption("renew");
    await page.getByRole("button", { name: /^Dry run/ }).click();

    await page.getByRole("button", { name: /^Send 1 message to/ }).waitFor();
  });

  it("keeps few rows in the document, however long the list, and reaches the end", async () => {
    const engine = memory();
    const sender = await engine.openSender("orders");
    const all = Array.from({ length: 3000 }, (_, index) => createEnvelope(order(index)));
    await sender.send(all);
    const page = await openPage(browser);

    await page.goto(`${await serveInspector(engine)}#/e/orders/messages`);
    await page.getByText("200 messages so far, 200 looked at").waitFor();
    await page.getByRole("listbox").focus();
    await vi.waitFor(
      async () => {
        await page.keyboard.press("End");
        expect(await page.getByText("order-2999").count()).toBe(1);
      },
      { timeout: 30_000, interval: 50 },
    );

    expect(await page.getByRole("option").count()).toBeLessThan(60);
  });

  it.each(["light", "dark"])("has no violation of WCAG AA that axe finds, in %s", async (colorScheme) => {
    const engine = memory({ queues: { orders: {}, carts: { requiresSession: true } } });
    await deadLettered(engine, "orders", [late(1), { ...broken("b1"), reason: "Unreadable" }]);
    await (await engine.openSender("carts")).send([createEnvelope(order(1, { sessionId: "cart-1" }))]);
    const at = await serveInspector(engine, { production: true });
    const page = await openPage(browser, { colorScheme, bypassCSP: true });

    for (const [place, ready] of [
      ["#/", "orders"],
      [deadPlace, "TooLate"],
      ["#/m/orders%2F%24DeadLetterQueue/2", "The chain would say: Unreadable"],
      ["#/e/carts/sessions", "cart-1"],
      ["#/redrives", "Nothing has been sent back"],
    ]) {
      await page.goto(`${at}${place}`);
      await page
        .getByText(ready ?? "")
        .first()
        .waitFor();
      expect(await violations(page), place).toEqual([]);
    }
    await page.goto(`${at}${deadPlace}`);
    await page.getByText("More").click();
    await page.getByRole("button", { name: "Delete all…" }).click();
    expect(await violations(page), "the form of a deletion").toEqual([]);
    await page.getByRole("button", { name: "Re-drive all…" }).click();
    await page.getByRole("button", { name: /^Dry run/ }).click();
    await page.getByRole("button", { name: /^Send 2 messages/ }).waitFor();
    expect(await violations(page), "the form of a re-drive").toEqual([]);
    await page.getByRole("button", { name: /^Send 2 messages/ }).click();
    await page.locator(".badge.ok").waitFor();
    expect(await violations(page), "a re-drive").toEqual([]);
    await page.goto(`${at}#/redrives`);
    await page.locator(".jobs").waitFor();
    expect(await violations(page), "the list of re-drives").toEqual([]);
  });

  it.each([360, 2560])("fits %i pixels without scrolling to the side", async (width) => {
    const engine = memory({ queues: [`orders.${"long-name.".repeat(20)}end`, "orders"] });
    await deadLettered(engine, "orders", [late(1), { ...broken("b1"), reason: "Unreadable" }]);
    const at = await serveInspector(engine);
    const page = await openPage(browser, { viewport: { width, height: 900 } });

    for (const place of ["#/", deadPlace, "#/m/orders%2F%24DeadLetterQueue/2"]) {
      await page.goto(`${at}${place}`);
      await page.locator("h1").first().waitFor();
      expect(await page.evaluate<number>("document.documentElement.scrollWidth"), place).toBeLessThanOrEqual(width);
    }
  });
});
