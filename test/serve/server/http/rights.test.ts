import { request as send } from "node:http";
import { type ClientOptions, WebSocket } from "ws";
import { describe, expect, it } from "vitest";
import { writeSas } from "../../../../src/wire/http/sas.ts";
import { type Server, startServer } from "../../../../src/serve/server/index.ts";

/** The status of a request with any headers. */
const status = (server: Server, path: string, headers: Record<string, string>, method = "POST"): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = send({ host: "127.0.0.1", port: server.port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject);
    request.end(method === "POST" ? "a" : undefined);
  });

/** `open`, or the error of a WebSocket that is opened so. */
const webSocket = (server: Server, options: ClientOptions): Promise<string> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/$servicebus/websocket`, "AMQPWSB10", options);
    socket.on("open", () => resolve("open"));
    socket.on("error", (error) => resolve(error.message));
    socket.on("open", () => socket.close());
  });

const local = "localhost:5672";

// Refusals are answered after a pause.
describe("pages of a browser", () => {
  it.concurrent.each([
    ["of another site", { host: local, origin: "https://evil.example" }],
    ["of no origin", { host: local, origin: "null" }],
    ["under a name that was made to lead here", { host: "evil.example" }],
    ["under a name that begins like this machine's", { host: "localhost.evil.example" }],
  ])("cannot reach a server without keys: %s", async (_what, headers) => {
    await using server = await startServer({ queues: ["q"] });

    expect(await status(server, "/q/messages", headers)).toBe(401);
    expect((await server.engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(0);
  });

  it.each([
    ["without an origin", { host: local }],
    ["of a page on this machine", { host: "127.0.0.1:1", origin: "http://localhost:3000" }],
    ["over IPv6", { host: "[::1]:1" }],
    ["for a namespace of the service", { host: "contoso.servicebus.windows.net" }],
  ])("is not what a request is: %s", async (_what, headers) => {
    await using server = await startServer({ queues: ["q"] });

    expect(await status(server, "/q/messages", headers)).toBe(201);
  });

  it("cannot open a WebSocket to a server without keys", async () => {
    await using server = await startServer({ queues: ["q"] });
    expect(await webSocket(server, { origin: "https://evil.example" })).toContain("403");
    expect(await webSocket(server, { origin: "http://localhost:3000" })).toBe("open");
  });
});

const wellKnown = (name: string): string =>
  writeSas("sb://localhost/", { name, value: "SAS_KEY_VALUE" }, Date.now() + 60_000);

/** A server without keys, a namespace with its own and another one without. */
async function mixed(): Promise<Server> {
  const server = await startServer({ queues: ["q"] });
  server.namespace("keyed", { queues: ["q"], keys: { keyed: "secret" } });
  server.namespace("free", { queues: ["q"] });
  return server;
}

describe("pages of a browser, where only some namespaces have keys", () => {
  const hosts = ["keyed.evil.example", "free.evil.example", "keyed", "evil.example", "keyed.localhost", "localhost"];

  it.concurrent.each(hosts)("cannot reach any of them under the host name %s", async (host) => {
    await using server = await mixed();
    const engines = [server, server.namespace("free"), server.namespace("keyed")].map(({ engine }) => engine);
    const authorizations = [wellKnown("free"), wellKnown("any"), wellKnown("keyed"), undefined];

    const asked = authorizations.map(async (authorization) => {
      const headers = { host, origin: "https://evil.example", ...(authorization !== undefined && { authorization }) };
      expect(await status(server, "/q/messages", headers)).toBe(401);
    });
    await Promise.all(asked);

    const counts = engines.map(async ({ admin }) => (await admin.getQueueRuntimeProperties("q")).totalMessageCount);
    expect(await Promise.all(counts)).toEqual([0, 0, 0]);
  });

  it.concurrent.each(hosts)("cannot open a WebSocket under the host name %s", async (host) => {
    await using server = await mixed();

    expect(await webSocket(server, { origin: "https://evil.example", headers: { host } })).toContain("403");
  });
});

describe("a page that a server on a trusted network has served", () => {
  it.each([
    ["reaches it under the same name and port", "http://broker:5300", 201],
    ["does not reach it from another port of that name", "http://broker:8080", 401],
    ["does not reach it from another name", "http://other:5300", 401],
  ])("%s", async (_what, origin, expected) => {
    await using server = await startServer({ queues: ["q"], trustedNetwork: true });

    expect(await status(server, "/q/messages", { host: "broker:5300", origin })).toBe(expected);
  });
});

describe("a page below servicebus.windows.net, where anybody can serve one", () => {
  const page = "https://evil.servicebus.windows.net";

  it.each([
    ["cannot reach this machine", { host: local, origin: page }, 401],
    [
      "cannot reach this machine under another name there",
      { host: "contoso.servicebus.windows.net", origin: page },
      401,
    ],
    ["can where this machine has its name", { host: "evil.servicebus.windows.net", origin: page }, 201],
  ])("%s", async (_what, headers, expected) => {
    await using server = await startServer({ queues: ["q"] });

    expect(await status(server, "/q/messages", headers)).toBe(expected);
  });
});

const token = (entity: string): string =>
  writeSas(`sb://localhost/${entity}`, { name: "root", value: "key" }, Date.now() + 60_000);

const description = (forwardTo: string): string =>
  `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><ForwardTo>${forwardTo}</ForwardTo></QueueDescription></content></entry>`;

describe("a token for one entity", () => {
  it.concurrent.each([
    ["another entity", "orders", "secret", 401],
    ["another entity, by its address", "orders", "sb://localhost/secret", 401],
    ["its own", "orders", "orders/next", 200],
    ["an entity that is missing", "", "nowhere", 404],
  ])("forwards to %s only with the right on it", async (_what, scope, forwardTo, expected) => {
    const keys = { root: "key" };
    await using server = await startServer({ keys, queues: ["orders", "orders/next", "secret"] });
    const answer = await fetch(`http://127.0.0.1:${server.port}/orders`, {
      method: "PUT",
      headers: { authorization: token(scope), "if-match": "*" },
      body: description(forwardTo),
    });

    expect(answer.status).toBe(expected);
    const { forwardTo: told } = await server.engine.admin.getQueue("orders");
    expect(told === undefined).toBe(expected !== 200);
  });
});

describe("a token for one entity and a second one", () => {
  it("forwards to the entity of the second, as the official client asks for it", async () => {
    await using server = await startServer({ keys: { root: "key" }, queues: ["orders", "secret"] });
    const answer = await fetch(`http://127.0.0.1:${server.port}/orders`, {
      method: "PUT",
      headers: {
        authorization: token("orders"),
        servicebussupplementaryauthorization: token("secret"),
        "if-match": "*",
      },
      body: description("secret"),
    });

    expect(answer.status).toBe(200);
  });
});

describe("a receive over HTTP", () => {
  it("waits no longer than its token is valid", async () => {
    await using server = await startServer({ queues: ["q"], keys: { root: "key" } });
    const ends = Math.ceil(Date.now() / 1000) * 1000 + 1000;
    const authorization = writeSas("sb://localhost/q", { name: "root", value: "key" }, ends);

    const answer = await fetch(`http://127.0.0.1:${server.port}/q/messages/head?timeout=60`, {
      method: "POST",
      headers: { authorization },
    });

    expect(answer.status).toBe(204);
    expect(Date.now()).toBeGreaterThanOrEqual(ends - 100);
  });

  it.each(["0.0001", "-1", "soon"])("refuses a timeout of %s", async (timeout) => {
    await using server = await startServer({ queues: ["q"] });

    const answer = await fetch(`http://127.0.0.1:${server.port}/q/messages/head?timeout=${timeout}`, {
      method: "POST",
    });

    expect(answer.status).toBe(400);
  });
});
