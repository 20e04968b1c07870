import { request } from "node:http";
import { generateKeyPair, jwtVerify, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../../src/client/create-client.ts";
import { createSerializer } from "../../../src/core/codec/serializer.ts";
import { createEnvelope } from "../../../src/core/envelope/envelope.ts";
import type { Engine } from "../../../src/core/engine/engine.ts";
import { azureEngine, type TokenCredential } from "../../../src/broker/azure/index.ts";
import { memoryEngine } from "../../../src/broker/memory/index.ts";
import {
  type Right,
  selfSignedCertificate,
  type Server,
  type ServerOptions,
  startServer,
  type TokenClaims,
  type TokenUse,
  type TokenVerifier,
} from "../../../src/serve/server/index.ts";
import { Namespaces } from "../../../src/serve/server/namespaces.ts";
import { ManualClock } from "../../../src/core/time/index.ts";
import { json } from "../../../codecs/json/index.ts";

const issuer = "https://issuer.example/tenant";
const audience = "https://servicebus.azure.net";
const rightsOf: ReadonlyMap<unknown, readonly Right[]> = new Map([
  ["Azure Service Bus Data Owner", ["Send", "Listen", "Manage"]],
  ["Azure Service Bus Data Receiver", ["Listen"]],
]);

const tls = selfSignedCertificate(["localhost"]);
const keys = await generateKeyPair("ES256");
const foreignKeys = await generateKeyPair("ES256");

async function verifyToken(token: string): Promise<TokenClaims> {
  const { payload } = await jwtVerify(token, keys.publicKey, { issuer, audience, requiredClaims: ["exp"] });
  return { rights: rightsOf.get(payload["role"]) ?? [], expiresAt: new Date(Number(payload.exp) * 1000) };
}

/** A credential of the test's issuer, which counts its tokens. */
class TestCredential implements TokenCredential {
  fetched = 0;
  scopes: unknown;
  readonly #role: string;
  readonly #privateKey: typeof keys.privateKey;
  readonly #life: number;

  constructor(role = "Azure Service Bus Data Owner", { privateKey = keys.privateKey, life = 3600 } = {}) {
    this.#role = role;
    this.#privateKey = privateKey;
    this.#life = life;
  }

  async getToken(scopes: string | string[] = ""): Promise<{ token: string; expiresOnTimestamp: number }> {
    this.fetched++;
    this.scopes = scopes;
    const end = Math.floor(Date.now() / 1000) + this.#life;
    const token = await new SignJWT({ role: this.#role })
      .setProtectedHeader({ alg: "ES256" })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(end)
      .sign(this.#privateKey);
    return { token, expiresOnTimestamp: end * 1000 };
  }
}

let server: Server;
let fullyQualifiedNamespace: string;

beforeAll(async () => {
  server = await startServer({ queues: ["orders", "refunds"], tls, verifyToken });
  fullyQualifiedNamespace = `localhost:${server.port}`;
});
afterAll(() => server.close());

function connect(credential: TokenCredential, connectionClock?: ManualClock): Engine {
  const engine = azureEngine({ fullyQualifiedNamespace, credential, ca: tls.cert, connectionClock });
  onTestFinished(() => engine.close());
  return engine;
}

const sent = createEnvelope({ payload: Uint8Array.of(1) });

describe("azureEngine with a TokenCredential", () => {
  it("sends, receives, settles and administers with the credential's tokens", async () => {
    const credential = new TestCredential();
    const engine = connect(credential);
    await engine.admin.createQueue("made");
    const sender = await engine.openSender("made");
    await sender.send([sent]);
    const receiver = await engine.openReceiver("made", { receiveMode: "peekLock" });
    const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 5000 });
    if (delivery?.lockToken === undefined) throw new Error("nothing was received");
    await engine.settle("made", delivery.lockToken, { kind: "complete" });
    const { totalMessageCount } = await engine.admin.getQueueRuntimeProperties("made");
    expect(totalMessageCount).toBe(0);
    expect(credential.scopes).toBe("https://servicebus.azure.net/.default");
  });

  it("fetches one token for all entities", async () => {
    const credential = new TestCredential();
    const engine = connect(credential);
    await Promise.all(["orders", "refunds"].map((name) => engine.peek(name, { maxMessages: 1 })));
    await engine.admin.listQueues();
    expect(credential.fetched).toBe(1);
  });

  it("shows a new token before the last one ends", async () => {
    const credential = new TestCredential();
    const clock = new ManualClock();
    const engine = connect(credential, clock);
    await engine.peek("orders", { maxMessages: 1 });
    await clock.advance(54 * 60_000);
    expect(credential.fetched).toBe(1);
    await clock.advance(60_000);
    await engine.peek("orders", { maxMessages: 1 });
    expect(credential.fetched).toBe(2);
  });

  it("replaces a token of a few minutes at half of its life", async () => {
    const credential = new TestCredential(undefined, { life: 240 });
    const clock = new ManualClock();
    const engine = connect(credential, clock);
    await engine.peek("orders", { maxMessages: 1 });
    await clock.advance(121_000);
    expect(credential.fetched).toBe(2);
  });

  it("is refused what the token does not grant", async () => {
    const engine = connect(new TestCredential("Azure Service Bus Data Receiver"));
    await engine.openReceiver("orders", { receiveMode: "peekLock" });
    await Promise.all([
      expect(engine.openSender("orders")).rejects.toMatchObject({ code: "UnauthorizedAccess" }),
      expect(engine.admin.listQueues()).rejects.toMatchObject({ code: "UnauthorizedAccess" }),
    ]);
  });

  it("is refused with a token of another issuer's key", async () => {
    const engine = connect(new TestCredential(undefined, { privateKey: foreignKeys.privateKey }));
    await expect(engine.openSender("orders")).rejects.toMatchObject({ code: "UnauthorizedAccess" });
  });

  it("is refused with a key, where only access tokens open the server", async () => {
    const engine = azureEngine({ connectionString: server.connectionString });
    onTestFinished(() => engine.close());
    await expect(engine.openSender("orders")).rejects.toMatchObject({ code: "UnauthorizedAccess" });
  });

  it.each<[string, TokenCredential]>([
    ["gives no token", { getToken: async () => null }],
    ["fails", { getToken: () => Promise.reject(new Error("no identity on this machine")) }],
    ["gives a token that has ended", { getToken: async () => ({ token: "x", expiresOnTimestamp: 1 }) }],
  ])("reports a credential that %s as UnauthorizedAccess, and asks it again", async (_what, credential) => {
    const engine = connect(credential);
    await expect(engine.openSender("orders")).rejects.toMatchObject({ code: "UnauthorizedAccess" });
    await expect(engine.admin.listQueues()).rejects.toMatchObject({ code: "UnauthorizedAccess" });
  });

  it("refuses a connection string together with a credential, and a namespace that is not a host", () => {
    const credential = new TestCredential();
    const wrong: readonly unknown[] = [
      { fullyQualifiedNamespace, credential, connectionString: server.connectionString },
      { fullyQualifiedNamespace },
      { credential },
      { fullyQualifiedNamespace: "https://shop.servicebus.windows.net/orders", credential },
      { fullyQualifiedNamespace: "shop.servicebus.windows.net", credential: {} },
    ];
    for (const options of wrong)
      expect(() => Reflect.apply(azureEngine, undefined, [options])).toThrow(
        expect.objectContaining({ code: "InvalidArgument" }),
      );
  });

  it("makes a client that creates and closes its own engine", async () => {
    const serializer = createSerializer({ codecs: [json()] });
    const credential = new TestCredential();
    const client = createClient({ fullyQualifiedNamespace: "127.0.0.1:1", credential, serializer });
    await client.close();
    expect(credential.fetched).toBe(0);
  });
});

const owner = (): Promise<{ token: string }> => new TestCredential().getToken();

const verifyForTenant: TokenVerifier = (token, { namespace }) =>
  namespace === "Tenant" ? verifyToken(token) : Promise.reject(new Error("not for this namespace"));

/** The status of a send with a token under a host name, and the messages of each namespace after it. */
async function statuses(hostname: string, options: Partial<ServerOptions>): Promise<readonly unknown[]> {
  await using other = await startServer({ queues: ["a"], ...options });
  for (const name of ["Tenant", "free"]) other.namespace(name, { queues: ["a"], keys: { [name]: `${name} key` } });
  const { token } = await owner();
  const status = await new Promise((resolve, reject) => {
    const headers = { host: hostname, authorization: `Bearer ${token}` };
    const asked = request({ port: other.port, path: "/a/messages", method: "POST", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on("error", reject);
    asked.end("a");
  });
  const namespaces = [other, other.namespace("Tenant"), other.namespace("free")];
  const counts = namespaces.map(async ({ engine }) => {
    const { totalMessageCount } = await engine.admin.getQueueRuntimeProperties("a");
    return totalMessageCount;
  });
  return [status, ...(await Promise.all(counts))];
}

describe("an access token in a namespace besides the server's own", () => {
  it.each(["tenant.example", "Tenant", "TENANT.localhost:80"])(
    "is refused unasked, under the host %s",
    async (host) => {
      const asked: TokenUse[] = [];
      const verify: TokenVerifier = (token, use) => {
        asked.push(use);
        return verifyToken(token);
      };

      expect(await statuses(host, { verifyToken: verify })).toEqual([401, 0, 0, 0]);
      expect(await statuses("any.example", { verifyToken: verify })).toEqual([201, 1, 0, 0]);
      expect(asked).toEqual([{ namespace: "" }]);
    },
  );

  it("is verified for that namespace where the server's verifier decides for all", async () => {
    const options = { verifyToken: verifyForTenant, tokenNamespaces: "all" } as const;

    expect(await statuses("tenant.example", options)).toEqual([201, 0, 1, 0]);
    expect(await statuses("free.example", options)).toEqual([401, 0, 0, 0]);
    expect(await statuses("localhost", options)).toEqual([401, 0, 0, 0]);
  });

  it("opens no link there over AMQP", async () => {
    const main = memoryEngine({ queues: ["a"] });
    const tenant = memoryEngine({ queues: ["a"] });
    const access = new Namespaces({ name: "", engine: main, keys: {} }, { verifyToken });
    access.add({ name: "tenant", engine: tenant, keys: {} });
    const { token } = await owner();

    await expect(access.token(token, "tenant.example")).rejects.toMatchObject({ code: "UnauthorizedAccess" });
    expect((await access.token(token, "localhost")).engine).toBe(main);
  });

  it("is an option that must be one of two", async () => {
    const options = { tokenNamespaces: "tenant" };
    await expect(Reflect.apply(startServer, undefined, [options])).rejects.toMatchObject({
      code: "InvalidArgument",
      path: "$.tokenNamespaces",
    });
  });
});
