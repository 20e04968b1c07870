import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { ServiceBusClient } from "@azure/service-bus";
import { describe, expect, it } from "vitest";
import { durableEngine } from "../../../src/broker/durable/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import { type ServerHealth, type ServerOptions, startServer } from "../../../src/serve/server/index.ts";
import { storeDirectory } from "../../broker/durable/store-directory.support.ts";
import { codeOf } from "../../external/azure-scenario.support.ts";

/** Options as a caller without types gives them. */
async function refusal(given: object): Promise<unknown> {
  try {
    await using server = await startServer(given satisfies ServerOptions);
    return `served on ${server.port}`;
  } catch (error) {
    return error;
  }
}

describe("the options of a server", () => {
  it.each([
    ["an option that is misspelt", { autocreate: true }, "$.autocreate"],
    ["a limit that is misspelt", { limits: { maxLnks: 1 } }, "$.limits.maxLnks"],
    ["a limit that is no number", { limits: { handshakeTimeout: "soon" } }, "$.limits.handshakeTimeout"],
    ["a time that no timer waits", { limits: { idleTimeout: Infinity } }, "$.limits.idleTimeout"],
    ["a port that is text", { port: "5672" }, "$.port"],
    ["a port that there is not", { httpPort: 70_000 }, "$.httpPort"],
    ["keys without one", { keys: {} }, "$.keys"],
    ["a key that no connection string can hold", { keys: { a: "b;c" } }, "$.keys.a.key"],
    ["a right that there is not", { keys: { a: { key: "b", rights: ["listen"] } } }, "$.keys.a.rights"],
    ["a member of a key that is misspelt", { keys: { a: { key: "b", right: ["Listen"] } } }, "$.keys.a.right"],
    ["a certificate that is none", { tls: { key: "a", cert: "b" } }, "$.tls"],
    ["a host that others reach, without keys", { host: "0.0.0.0" }, "$.keys"],
    ["a host that only looks like this machine", { host: "127.example.org" }, "$.keys"],
    ["entities beside an engine", { engine: memoryEngine(), queues: ["q"] }, "$.queues"],
  ])("refuse %s", async (_what, options, path) => {
    expect(await refusal(options)).toMatchObject({ code: "InvalidArgument", path });
  });

  it("serve a host that others reach without keys on a trusted network, but no web page of another site", async () => {
    await using server = await startServer({ host: "0.0.0.0", trustedNetwork: true, queues: ["orders"] });
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`http://127.0.0.1:${server.port}/orders/messages`, { method: "POST", body: "{}", headers })).status;

    expect(await status({})).toBe(201);
    expect(await status({ origin: "https://example.com" })).toBe(401);
  });

  it("refuse a port that another has on one address of localhost", async () => {
    const other = createServer().listen(0, "::1");
    await once(other, "listening");
    const address = other.address();

    const refused = await refusal({ port: typeof address === "object" ? address?.port : 0 });
    other.close();

    expect(refused).toMatchObject({ code: "InvalidOperation", path: "$.port" });
  });

  it("refuse a misspelt option of a namespace, which has the clock of its server", async () => {
    await using server = await startServer();

    const wrong: readonly object[] = [{ ques: ["q"] }, { clock: {} }];

    expect(() => server.namespace("a", wrong[0])).toThrow("Unknown option `ques`");
    expect(() => server.namespace("a", wrong[1])).toThrow("Unknown option `clock`");
  });

  it("make a namespace of an engine that is given, which stays the caller's to close", async () => {
    const engine = memoryEngine({ queues: ["kept"] });
    const server = await startServer();

    expect(server.namespace("a", { engine }).engine).toBe(engine);
    expect(() => server.namespace("b", { engine, queues: ["q"] })).toThrow("cannot be combined with engine");
    await server.close();

    expect(await engine.admin.listQueues()).toEqual(["kept"]);
    await engine.close();
  });

  it("refuse a namespace in memory next to a durable engine, and take one with an engine", async () => {
    const directory = await storeDirectory();
    const engine = await durableEngine({ directory });
    const kept = await durableEngine({ directory: join(directory, "inner"), queues: ["q"] });
    const server = await startServer({ engine });

    expect(() => server.namespace("inner", { queues: ["q"] })).toThrow(
      expect.objectContaining({ code: "InvalidOperation", message: expect.stringContaining("would not be stored") }),
    );
    expect(server.namespace("inner", { engine: kept }).engine).toBe(kept);

    await server.close();
    await Promise.all([engine.close(), kept.close()]);
    await rm(directory, { recursive: true });
  });

  it("let no well-known key into a namespace of a server that has keys", async () => {
    await using server = await startServer({ keys: { root: "secret" } });
    const { connectionString } = server.namespace("inner", { queues: ["q"] });
    const wellKnown = connectionString.replace(/SharedAccessKey=[^;]+/, "SharedAccessKey=SAS_KEY_VALUE");
    const [good, bad] = [connectionString, wellKnown].map(
      (text) => new ServiceBusClient(text, { retryOptions: { maxRetries: 0 } }),
    );

    await good?.createSender("q").sendMessages({ body: 1 });
    const refused = await codeOf(bad?.createSender("q").sendMessages({ body: 1 }) ?? Promise.resolve());
    await Promise.all([good?.close(), bad?.close()]);

    expect(refused).toBe("UnauthorizedAccess");
    expect(server.namespace("INNER").connectionString).toBe(connectionString);
    expect(() => server.namespace("root")).toThrow("The server has a key named");
  });

  it("give a namespace the keys that its options name, so that several servers take the same", async () => {
    await using server = await startServer({ keys: { root: "secret" } });
    const { connectionString } = server.namespace("inner", { queues: ["q"], keys: { inner: "of its own" } });
    expect(connectionString).toContain("SharedAccessKeyName=inner;SharedAccessKey=of its own;");
    const client = new ServiceBusClient(connectionString, { retryOptions: { maxRetries: 0 } });
    await client.createSender("q").sendMessages({ body: 1 });
    await client.close();
    expect(() => server.namespace("other", { keys: {} })).toThrow("keys must have at least one key");
  });
});

async function healthOf(health?: () => Promise<ServerHealth>): Promise<unknown> {
  await using server = await startServer({ health });
  const response = await fetch(`http://localhost:${server.port}/health`);
  return [response.status, await response.json()];
}

describe("/health", () => {
  it("shows what the engine's owner says about it, with 503 for anything that is not healthy", async () => {
    expect(await healthOf()).toEqual([200, { status: "healthy" }]);
    expect(await healthOf(async () => ({ status: "healthy", backlog: 3 }))).toEqual([
      200,
      { status: "healthy", backlog: 3 },
    ]);
    expect(await healthOf(async () => ({ status: "full" }))).toEqual([503, { status: "full" }]);
  });

  it("shows only that there was an error, and nothing about it", async () => {
    expect(await healthOf(() => Promise.reject(new Error("a secret")))).toEqual([503, { status: "unhealthy" }]);
  });
});
