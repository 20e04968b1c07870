import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { azureEngine } from "../../src/broker/azure/index.ts";
import { durableEngine } from "../../src/broker/durable/index.ts";
import { postgresEngine } from "../../src/broker/postgres/index.ts";
import type { Engine } from "../../src/core/engine/index.ts";
import { startServer } from "../../src/serve/server/index.ts";
import { storeDirectory } from "../broker/durable/store-directory.support.ts";
import { broken, deadLettered } from "../serve/inspector/inspected.support.ts";
import { late, launch, memory, openPage, serveInspector, stage } from "./browser.support.ts";
import { dead, idsIn, scenarios } from "./inspector-scenarios.support.ts";
import { PostgresServer } from "./postgres-server.support.ts";

let browser: Awaited<ReturnType<typeof launch>>;
let postgres: PostgresServer;
let schemas = 0;
beforeAll(async () => {
  browser = await launch();
  postgres = await PostgresServer.create(18);
});
afterAll(async () => {
  await browser.close();
  await postgres[Symbol.asyncDispose]();
});

const others: readonly (readonly [string, () => Promise<Engine>])[] = [
  [
    "durable",
    async () => {
      const engine = await durableEngine({ directory: await storeDirectory(), queues: ["orders"] });
      onTestFinished(() => engine.close());
      return engine;
    },
  ],
  [
    "PostgreSQL",
    async () => {
      const schema = `page_${schemas++}`;
      const engine = await postgresEngine({ connectionString: postgres.connectionString, schema, migrate: true });
      await engine.admin.createQueue("orders");
      onTestFinished(() => engine.close());
      return engine;
    },
  ],
  [
    "Azure, on a server",
    async () => {
      const server = await startServer({ queues: ["orders"] });
      const engine = azureEngine({ connectionString: server.connectionString, minWaitTime: 0 });
      onTestFinished(async () => {
        await engine.close();
        await server.close();
      });
      return engine;
    },
  ],
];

describe.each(others)("the ten most important features, at the %s engine", (_name, make) => {
  it.each(scenarios)("$name", async ({ run }) => {
    await run(await stage(browser, await make()));
  });
});

describe.each([["memory", async (): Promise<Engine> => memory()] as const, ...others])(
  "a newcomer at the %s engine",
  (_name, make) => {
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
      await page.getByRole("button", { name: "Unreadable 1" }).waitFor();
      await act(() => page.getByRole("option", { name: /Unreadable/ }).click());
      await page.getByRole("heading", { name: /Every attempt/ }).waitFor();
      expect(await page.locator(".attempts").first().innerText()).toContain("json DecodeFailed at byte 1");
      await act(() => page.getByLabel("Payload, as text in UTF-8").fill('{"id":4}'));
      await page.getByRole("heading", { name: "The chain would say: read by json" }).waitFor();
      await act(() => page.getByRole("button", { name: "Send the repaired message back…" }).click());
      await act(() => page.getByRole("button", { name: /^Dry run/ }).click());
      await act(() => page.getByRole("button", { name: /^Send 1 message to .* and remove it here/ }).click());
      await page.getByText("done").first().waitFor();
      await act(() => page.getByRole("link", { name: "← Dead letters of orders" }).click());
      await act(() => page.getByRole("button", { name: "TooLate 3" }).click());
      await act(() => page.getByRole("button", { name: "Re-drive all that match…" }).click());
      await act(() => page.getByRole("button", { name: /^Dry run/ }).click());
      await act(() => page.getByRole("button", { name: /^Send 3 messages/ }).click());
      await page.getByText("done").first().waitFor();

      expect(actions).toBeLessThanOrEqual(12);
      expect(await idsIn(engine, "orders")).toEqual(["b1", "order-1", "order-2", "order-3"]);
      expect(await idsIn(engine, dead)).toEqual([]);
    });
  },
);
