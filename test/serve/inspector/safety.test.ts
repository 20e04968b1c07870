import { describe, expect, it, vi } from "vitest";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { writeSas } from "../../../src/wire/http/sas.ts";
import { createInspector, type InspectorOptions } from "../../../src/serve/inspector/index.ts";
import { startServer } from "../../../src/serve/server/index.ts";
import type { RedriveInit } from "../../../src/serve/inspector/api.ts";
import { storeDirectory } from "../../broker/durable/store-directory.support.ts";
import { deadLettered, inspected, order } from "./inspected.support.ts";

const dead = "orders/$DeadLetterQueue";
const serializer = createSerializer({ codecs: [json()] });

describe("the inspector", () => {
  it.each([
    ["redrives", { from: dead, dryRun: false }],
    ["import", { entity: "orders", lines: "{}" }],
    ["purge", { entity: dead, name: dead }],
    ["redrives/1/cancel", {}],
    ["redrives/1/resume", {}],
  ])("only reads unless changes are allowed: it refuses %s", async (path, body) => {
    const { engine, post } = inspected(undefined, { changes: false });
    await deadLettered(engine, "orders", [order(1)]);

    const answer = await post(`api/${path}`, body);

    expect(answer.body).toMatchObject({ error: { code: "InvalidOperation" } });
    expect(await engine.peek(dead, { maxMessages: 5 })).toHaveLength(1);
  });

  it("keeps the re-drives of a namespace from the others, after a restart, too", async () => {
    const directory = await storeDirectory();
    const engines = { root: memoryEngine({ queues: ["orders"] }), tenant: memoryEngine({ queues: ["orders"] }) };
    await deadLettered(engines.tenant, "orders", [order("secret")]);
    const ask = async (name: keyof typeof engines, init?: RedriveInit): Promise<unknown> => {
      const inspector = createInspector({ serializer, changes: true, engine: engines.root, directory });
      await using server = await startServer({
        engine: engines.root,
        keys: { root: "root's" },
        httpHandler: inspector,
      });
      server.namespace("tenant", { engine: engines.tenant, keys: { tenant: "tenant's" } });
      const authorization = writeSas("sb://localhost/", { name, value: `${name}'s` }, Date.now() + 60_000);
      const url = `http://127.0.0.1:${server.port}/$ui/api/redrives`;
      const headers = { authorization, "content-type": "application/json" };
      if (init !== undefined) await fetch(url, { method: "POST", headers, body: JSON.stringify(init) });
      const answer = await fetch(url, { headers });
      await inspector.close();
      return answer.json();
    };

    const own = await ask("tenant", { from: dead, dryRun: false, repair: { text: "secret" } });

    expect(own).toMatchObject({ jobs: [{ from: dead }] });
    expect(await ask("root")).toEqual({ jobs: [] });
    expect(await readdir(directory)).toEqual([]);
    expect(await ask("root", { from: dead, dryRun: false })).toMatchObject({ jobs: [{ from: dead }] });
    expect(await ask("root")).toMatchObject({ jobs: [{ from: dead }] });
    expect(await ask("tenant")).toEqual({ jobs: [] });
    for (const engine of Object.values(engines)) await engine.close();
  });

  it.each([
    ["another site's origin", { origin: "http://evil.example" }],
    ["another port's origin", { origin: "http://localhost:3000" }],
    ["a page of another site without an origin", { "sec-fetch-site": "cross-site" }],
    ["a page of the same site on another port", { "sec-fetch-site": "same-site" }],
    ["a form", { "content-type": "text/plain" }],
  ])("refuses an action with %s", async (_what, headers) => {
    const { engine, post } = inspected();
    await deadLettered(engine, "orders", [order(1)]);

    const { status } = await post("api/purge", { entity: dead, name: dead }, { headers });

    expect(status).toBeGreaterThanOrEqual(400);
    expect(await engine.peek(dead, { maxMessages: 5 })).toHaveLength(1);
  });

  it("takes an action of its page behind a proxy that ends TLS", async () => {
    const { engine, post } = inspected();
    await deadLettered(engine, "orders", [order(1)]);

    const headers = { host: "queues.example", origin: "https://queues.example" };
    const { status } = await post("api/purge", { entity: dead, name: dead }, { headers });

    expect(status).toBe(200);
  });

  it("answers every request with a strict policy: no inline script, nothing of other sites, no frames", async () => {
    const { get } = inspected();

    for (const path of ["", "app.js", "app.css", "api/session", "nothing"]) {
      const { headers } = await get(path);
      const policy = headers["content-security-policy"] ?? "";
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
  });

  it("has a page without inline code, and names only its own files", async () => {
    const { text } = await inspected().get("");

    const named = Array.from(text.matchAll(/(?:src|href)="([^"]*)"/g), ([, to]) => to);
    expect(new Set(named)).toEqual(new Set(["/$ui/app.css", "/$ui/app.js", "data:,"]));
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style="/);
  });

  it.each<readonly [string, string, readonly ("Send" | "Listen" | "Manage")[], string]>([
    ["reading a queue needs Listen", `messages?entity=${dead}`, ["Send"], "Listen"],
    ["grouping needs Listen", `groups?entity=${dead}`, ["Send"], "Listen"],
    ["exporting needs Listen", `export?entity=${dead}`, ["Send"], "Listen"],
    ["a story needs Listen", `message?entity=${dead}&sequence=1`, ["Send"], "Listen"],
  ])("acts with the caller's rights: %s", async (_what, path, rights, lacking) => {
    const { engine, get } = inspected();
    await deadLettered(engine, "orders", [order(1)]);

    const { status, body } = await get(`api/${path}`, { rights });

    expect(status).toBe(401);
    expect(body).toMatchObject({ error: { message: expect.stringContaining(lacking) } });
  });

  it("acts with the caller's rights: a re-drive needs Listen there and Send on the target, and a list Manage", async () => {
    const { engine, get, post } = inspected({ queues: ["orders", "secret"] });
    await deadLettered(engine, "orders", [order(1)]);
    const redrive = { from: dead, dryRun: false };

    const listensOnly = await post("api/redrives", redrive, { rights: ["Listen"] });
    const elsewhere = await post("api/redrives", { ...redrive, to: "secret" }, { rights: ["Manage"], scope: "orders" });
    const listed = await get("api/entities", { rights: ["Manage"], scope: "orders" });
    const unlisted = await get("api/entities", { rights: ["Listen"] });

    expect([listensOnly.status, elsewhere.status]).toEqual([401, 401]);
    expect(listed.body).toMatchObject({ entities: [{ path: "orders" }] });
    expect(unlisted.body).toEqual({ entities: [] });
    expect(await engine.peek(dead, { maxMessages: 5 })).toHaveLength(1);
  });

  it("does not show a caller the re-drives of entities that it may not read", async () => {
    const { engine, get, post } = inspected({ queues: ["orders", "other"] });
    await deadLettered(engine, "orders", [order(1)]);
    await post("api/redrives", { from: dead });

    expect((await get("api/redrives", { scope: "other" })).body).toEqual({ jobs: [] });
  });

  it("lists its operations, each with the schema of its answer", async () => {
    const { body } = await inspected().get("api/");

    expect(body).toMatchObject({
      operations: expect.arrayContaining([
        expect.objectContaining({ method: "GET", path: "groups", answer: "groups", changes: false }),
        expect.objectContaining({ method: "POST", path: "purge", answer: "purge", changes: true }),
      ]),
    });
  });

  it.each([
    ["a path that is not one", { path: "ui" }, "$.path"],
    ["a misspelt option", { readOnly: true }, "$.readOnly"],
    ["a serializer that is none", { serializer: {} }, "$.serializer"],
  ])("refuses %s", (_what, options, path) => {
    // Options as a caller without types gives them.
    const given: InspectorOptions = Object.assign({ serializer }, options);
    expect(() => createInspector(given)).toThrow(expect.objectContaining({ code: "InvalidArgument", path }));
  });
});

describe("an inspector on a server", () => {
  it("is below its path, and browsers at the root are sent there; the server knows only a handler", async () => {
    const inspector = createInspector({ serializer });
    await using server = await startServer({ queues: ["orders"], httpHandler: inspector });
    const at = `http://localhost:${server.port}`;

    const root = await fetch(`${at}/`, { headers: { accept: "text/html" }, redirect: "manual" });
    const page = await fetch(`${at}/$ui/`);
    const entities = await fetch(`${at}/$ui/api/entities`);
    const other = await fetch(`${at}/$uix/api/entities`);

    expect([root.status, root.headers.get("location")]).toEqual([302, "/$ui/"]);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(await entities.json()).toMatchObject({ entities: [{ path: "orders" }] });
    expect(other.status).not.toBe(200);
  });

  it("asks for a connection string where there are keys, and has the rights of that key alone", async () => {
    const inspector = createInspector({ serializer });
    const keys = { root: "a", reader: { key: "b", rights: ["Listen"] as const } };
    await using server = await startServer({ queues: ["orders"], httpHandler: inspector, keys });
    const at = `http://localhost:${server.port}/$ui`;
    const as = (name: string, value: string): RequestInit => ({
      headers: { authorization: writeSas(`http://localhost:${server.port}/`, { name, value }, Date.now() + 60_000) },
    });

    expect((await fetch(`${at}/`)).status).toBe(200);
    const refused = await Promise.all([fetch(`${at}/api/session`), fetch(`${at}/api/session`, as("reader", "wrong"))]);
    expect(refused.map(({ status }) => status)).toEqual([401, 401]);
    expect(await (await fetch(`${at}/api/session`, as("reader", "b"))).json()).toMatchObject({ mayList: false });
    expect(await (await fetch(`${at}/api/session`, as("root", "a"))).json()).toMatchObject({ mayList: true });
  });

  it("refuses requests for another host, which only a rebound name can lead here", async () => {
    const engine = memoryEngine({ queues: ["orders"] });
    const inspector = createInspector({ engine, serializer });
    const server = createServer(inspector.listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const at = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/$ui/api/entities`;

    const own = await fetch(at);
    const rebound = await new Promise<number>((resolve, reject) => {
      import("node:http")
        .then(({ get }) => get(at, { headers: { host: "evil.example" } }, ({ statusCode = 0 }) => resolve(statusCode)))
        .catch(reject);
    });
    server.close();

    expect([own.status, rebound]).toEqual([200, 401]);
  });

  it.each<readonly [string, number, () => Partial<InspectorOptions>]>([
    [
      "an engine that throws what is no SobreError",
      500,
      () => {
        const engine = memoryEngine({ queues: ["orders"] });
        vi.spyOn(engine, "peek").mockRejectedValue(new TypeError("broken"));
        return { engine };
      },
    ],
    [
      "an authorize that throws at once",
      401,
      () => ({
        engine: memoryEngine({ queues: ["orders"] }),
        authorize: () => {
          throw new Error("no");
        },
      }),
    ],
  ])("answers each request, whatever fails: %s", async (_what, expected, options) => {
    const inspector = createInspector({ serializer, ...options() });
    const server = createServer(inspector.listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const at = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/$ui/api`;

    const { status } = await fetch(`${at}/messages?entity=orders`);
    server.close();
    server.closeAllConnections();

    expect(status).toBe(expected);
  });
});
