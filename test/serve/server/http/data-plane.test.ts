import { request as send } from "node:http";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeValue } from "../../../../src/core/amqp-values/encode-value.ts";
import { createEnvelope } from "../../../../src/core/envelope/index.ts";
import { selfSignedCertificate, type Server, startServer } from "../../../../src/serve/server/index.ts";
import { Typed } from "../../../../src/core/values/typed.ts";
import { writeSas } from "../../../../src/wire/http/sas.ts";

describe("the data plane over HTTP", () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = await startServer({ topics: { t: { subscriptions: ["s"] } } });
    url = `http://127.0.0.1:${server.port}`;
  });

  afterAll(() => server.close());

  let queues = 0;
  const queue = async (): Promise<string> => {
    const name = `q${++queues}`;
    await server.engine.admin.createQueue(name);
    return name;
  };
  const post = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}/${path}`, { method: "POST", ...init });
  const receive = (path: string): Promise<Response> =>
    fetch(`${url}/${path}/messages/head?timeout=1`, { method: "DELETE" });

  it("gives the location of a lock with the scheme of the request", async () => {
    const tls = selfSignedCertificate();
    await using secure = await startServer({ tls, queues: ["q"] });
    await fetch(`http://127.0.0.1:${secure.port}/q/messages`, { method: "POST", body: "a" });
    const before = getCACertificates("default");
    setDefaultCACertificates([...before, tls.cert]);

    const place = `https://localhost:${secure.port}/q/messages/`;
    const locked = await fetch(`${place}head?timeout=0`, { method: "POST" });
    setDefaultCACertificates(before);

    expect(locked.headers.get("location")).toMatch(new RegExp(`^${place}1/[0-9a-f-]{36}$`));
  });

  it.each([
    ["UserProperties that are no object", [{ Body: "a", UserProperties: "b" }]],
    ["UserProperties that are a list", [{ Body: "a", UserProperties: ["b"] }]],
    ["a content type that is not a text", [{ Body: "a", BrokerProperties: { ContentType: 1 } }]],
  ])("refuses %s in a batch", async (_what, batch) => {
    const q = await queue();
    const headers = { "content-type": "application/vnd.microsoft.servicebus.json" };

    expect((await post(`${q}/messages`, { headers, body: JSON.stringify(batch) })).status).toBe(400);
  });

  it.each(["$skip=a", "$skip=-1", "$top=0", "$top=1.5"])("refuses a list with %s", async (query) => {
    expect((await fetch(`${url}/$Resources/Queues?${query}`)).status).toBe(400);
  });

  it("leads from one page of a list to the next, by links with the scheme and version of the request", async () => {
    await using listing = await startServer({
      queues: ["a", "b~c", "d", "e"],
      topics: { t: { subscriptions: ["x", "y"] } },
    });
    const titles: unknown[] = [];
    const read = async (address: string): Promise<string | undefined> => {
      const text = await (await fetch(address)).text();
      titles.push(Array.from(text.matchAll(/<\/id><title type="text">([^<]*)/g), ([, title]) => title));
      return /<link rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
    };
    for (const list of ["$Resources/Queues?$skip=1", "t/Subscriptions?$skip=0"]) {
      let next: string | undefined = `http://127.0.0.1:${listing.port}/${list}&$top=1&api-version=2024-05`;
      while (next !== undefined) next = await read(next);
    }

    expect(titles).toEqual([["b~c"], ["d"], ["e"], ["x"], ["y"]]);
  });

  it("refuses to filter a list, in words that begin with the cause", async () => {
    const response = await fetch(`${url}/$Resources/Queues?$filter=${encodeURIComponent("messageCount gt 1")}`);

    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/<Detail>(?:SubCode=\d+\. )?Invalid Filter/);
  });

  it("sends with broker properties and properties in headers, and receives them as they were", async () => {
    const q = await queue();
    const headers = {
      "content-type": "text/plain; charset=utf-8",
      brokerproperties: JSON.stringify({ MessageId: "m", Label: "l", TimeToLive: 60, CorrelationId: "c", To: "t" }),
      priority: '"high \\u00e9"',
      count: "7",
      ratio: "1.5",
      flag: "true",
    };

    const sent = await post(`${q}/messages`, { headers, body: "hello" });
    const received = await receive(q);

    expect(sent.status).toBe(201);
    expect(received.status).toBe(200);
    expect(await received.text()).toBe("hello");
    expect(received.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(received.headers.get("priority")).toBe('"high \\u00e9"');
    expect(received.headers.get("count")).toBe("7");
    expect(received.headers.get("ratio")).toBe("1.5");
    expect(received.headers.get("flag")).toBe("true");
    const properties: unknown = JSON.parse(received.headers.get("brokerproperties") ?? "");
    expect(properties).toMatchObject({
      MessageId: "m",
      Label: "l",
      TimeToLive: 60,
      CorrelationId: "c",
      To: "t",
      DeliveryCount: 1,
      SequenceNumber: 1,
      State: "Active",
    });
  });

  it("sends a batch", async () => {
    const q = await queue();
    const batch = [
      { Body: "one", BrokerProperties: { Label: "a", TimeToLiveTimeSpan: "00:00:40" }, UserProperties: { n: 1 } },
      { Body: "two" },
    ];
    const headers = { "content-type": "application/vnd.microsoft.servicebus.json" };

    const { status } = await post(`${q}/messages`, { headers, body: JSON.stringify(batch) });
    const [one, two] = await server.engine.peek(q, { maxMessages: 5 });

    expect(status).toBe(201);
    expect(one?.envelope).toMatchObject({
      brokerProperties: { subject: "a", timeToLive: 40_000 },
      applicationProperties: { n: 1 },
    });
    expect(Buffer.from(two?.envelope.payload ?? []).toString()).toBe("two");
  });

  it("locks, renews, unlocks and completes", async () => {
    const q = await queue();
    await post(`${q}/messages`, { body: "x" });

    const first = await post(`${q}/messages/head?timeout=1`);
    const location = new URL(first.headers.get("location") ?? "");
    const renewed = await fetch(location, { method: "POST" });
    const unlocked = await fetch(location, { method: "PUT" });
    const second = await post(`${q}/messages/head?timeout=1`);
    const again = second.headers.get("location") ?? "";
    const completed = await fetch(again, { method: "DELETE" });
    const late = await fetch(again, { method: "DELETE" });

    expect([first, renewed, unlocked, second, completed, late].map(({ status }) => status)).toEqual([
      201, 200, 200, 201, 200, 404,
    ]);
    expect(second.headers.get("brokerproperties")).toContain('"DeliveryCount":2');
  });

  it("receives from a subscription and from a dead-letter queue", async () => {
    await post("t/messages", { body: "news" });

    const received = await receive("t/subscriptions/s");
    const dead = await fetch(`${url}/t/subscriptions/s/$DeadLetterQueue/messages/head?timeout=0`, { method: "DELETE" });

    expect(await received.text()).toBe("news");
    expect(dead.status).toBe(204);
  });

  it("returns a value or sequence as its encoded bytes, which restore the body kind", async () => {
    const q = await queue();
    const sender = await server.engine.openSender(q);
    const value = { payload: encodeValue({ a: 1n }), bodyKind: "value" } as const;
    const sequence = { payload: encodeValue([1, "x"]), bodyKind: "sequence" } as const;
    await sender.send([createEnvelope(value), createEnvelope(sequence)]);

    for (const _ of [value, sequence]) {
      const received = await receive(q);
      const headers = { "content-type": received.headers.get("content-type") ?? "" };
      await post(`${q}/messages`, { headers, body: await received.arrayBuffer() });
    }
    const again = await server.engine.peek(q, { maxMessages: 5 });

    expect(
      again.map(({ envelope: { bodyKind, payload } }) => [bodyKind, Buffer.from(payload).toString("hex")]),
    ).toEqual([value, sequence].map(({ bodyKind, payload }) => [bodyKind, Buffer.from(payload).toString("hex")]));
  });

  it("returns a value as JSON that says so, and as its encoded bytes to who asks for them", async () => {
    const q = await queue();
    const sender = await server.engine.openSender(q);
    const payload = encodeValue({ id: 7n, names: ["a"] });
    await sender.send([createEnvelope({ payload, bodyKind: "value" }), createEnvelope({ payload, bodyKind: "value" })]);

    const readable = await receive(q);
    const encoded = await fetch(`${url}/${q}/messages/head?timeout=1`, {
      method: "DELETE",
      headers: { accept: "application/x-amqp-value" },
    });

    expect(readable.headers.get("content-type")).toBe("application/json; amqp=value");
    expect(await readable.json()).toEqual({ id: { $int64: "7" }, names: ["a"] });
    expect(encoded.headers.get("content-type")).toBe("application/x-amqp-value");
    expect(Buffer.from(await encoded.arrayBuffer()).equals(payload)).toBe(true);
  });

  it("keeps every digit of the numbers in a batch, and returns them as they were sent", async () => {
    const q = await queue();
    const batch = `[{"Body":"a","BrokerProperties":{"TimeToLive":922337203685.4775807},"UserProperties":{
      "long":9007199254740993,"ulong":18446744073709551615,"large":1e300,"whole":5.0,"small":-7,"none":null}}]`;
    const headers = { "content-type": "application/vnd.microsoft.servicebus.json" };

    const sent = await post(`${q}/messages`, { headers, body: batch });
    const [peeked] = await server.engine.peek(q, { maxMessages: 1 });
    const received = await receive(q);

    expect(sent.status).toBe(201);
    expect(peeked?.envelope.applicationProperties).toEqual({
      long: 9_007_199_254_740_993n,
      ulong: 2n ** 64n - 1n,
      large: new Typed("double", 1e300),
      whole: new Typed("double", 5),
      small: -7,
      none: null,
    });
    expect(["long", "ulong", "large", "whole", "small"].map((name) => received.headers.get(name))).toEqual([
      "9007199254740993",
      "18446744073709551615",
      "1e300",
      "5.0",
      "-7",
    ]);
    expect(received.headers.get("sobre-omitted-properties")).toBe('["none"]');
  });

  it("gives a browser nothing to act on, whatever a sender has written", async () => {
    const q = await queue();
    const batch = `[{"Body":"<script>alert(1)</script>","UserProperties":{"Clear-Site-Data":"*","refresh":0,"Set-Cookie":"a=b"}}]`;
    await post(`${q}/messages`, {
      headers: { "content-type": "application/vnd.microsoft.servicebus.json" },
      body: batch,
    });

    const { headers } = await receive(q);

    expect(["clear-site-data", "refresh", "set-cookie"].filter((name) => headers.has(name))).toEqual([]);
    expect(JSON.parse(headers.get("sobre-properties") ?? "")).toEqual({
      "Clear-Site-Data": "*",
      refresh: 0,
      "Set-Cookie": "a=b",
    });
    expect(headers.get("content-security-policy")).toBe("sandbox");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it.each(["123456789012345678901", "1e400"])("refuses a batch with the number %s, which nothing holds", async (n) => {
    const q = await queue();
    const headers = { "content-type": "application/vnd.microsoft.servicebus.json" };

    const refused = await post(`${q}/messages`, { headers, body: `[{"Body":"a","UserProperties":{"n":${n}}}]` });

    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("64 bits");
  });

  it("reads quoted or numeric Date, Origin and Via headers as properties, and returns them", async () => {
    const q = await queue();
    const names = { Date: '"today"', Origin: '"Madrid"', Via: "7" };

    const status = await new Promise((resolve, reject) => {
      const request = send({ port: server.port, path: `/${q}/messages`, method: "POST", headers: names }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      request.on("error", reject);
      request.end("a");
    });
    const [peeked] = await server.engine.peek(q, { maxMessages: 1 });
    const received = await receive(q);

    expect(status).toBe(201);
    expect(peeked?.envelope.applicationProperties).toEqual({ Date: "today", Origin: "Madrid", Via: 7 });
    expect(Object.keys(names).map((name) => received.headers.get(name))).toEqual(Object.values(names));
  });

  it("names the headers of a send that look like properties and belong to HTTP", async () => {
    const q = await queue();

    const sent = await post(`${q}/messages`, { body: "a", headers: { server: '"mine"', "cache-control": "no-store" } });

    expect(sent.headers.get("sobre-omitted-properties")).toBe('["server"]');
  });

  it("gives every refusal a tracking id", async () => {
    const q = await queue();
    const batch = { "content-type": "application/vnd.microsoft.servicebus.json" };

    const answers = await Promise.all([
      post("missing/messages", { body: "x" }),
      post("missing/messages/head?timeout=0"),
      fetch(`${url}/missing2/messages/1/${crypto.randomUUID()}`, { method: "DELETE" }),
      fetch(`${url}/${q}/messages/1/${crypto.randomUUID()}`, { method: "PUT" }),
      fetch(`${url}/${q}/messages/1/none`, { method: "POST" }),
      fetch(`${url}/${q}/messages/a/b/c`, { method: "POST" }),
      fetch(`${url}/${q}/messages`),
      fetch(`${url}/${q}/messages/head`),
      fetch(`${url}/${q}/messages/1/${crypto.randomUUID()}`),
      fetch(`${url}/health`, { method: "POST" }),
      fetch(`${url}/${q}`, { method: "POST" }),
      fetch(`${url}/${q}`, { method: "PUT", body: "<none>" }),
      fetch(`${url}/missing`, { method: "DELETE" }),
      fetch(`${url}/%ff`),
      fetch(`${url}/${"a".repeat(3000)}`),
      post(`${q}/messages`, { body: "x", headers: { brokerproperties: "{" } }),
      post(`${q}/messages`, { body: "x", headers: { "content-type": "application/x-amqp-value" } }),
      post(`${q}/messages`, { headers: batch, body: "{" }),
      post(`${q}/messages/head?timeout=-1`),
      fetch(`${url}/${q}/messages`, {
        method: "POST",
        body: "x",
        headers: { authorization: "SharedAccessSignature x" },
      }),
      post(`${q}/messages`, { body: Buffer.alloc(2 ** 21) }).catch(() => undefined),
    ]);
    const told = await Promise.all(
      answers.map(async (one) => [one?.status ?? 413, (await one?.text()) ?? ""] as const),
    );

    const id = /TrackingId: ([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/;
    const untracked = told.filter(([status, text]) => status < 400 || (status !== 413 && !id.test(text)));
    expect(untracked).toEqual([]);
    expect(new Set(told.map(([, text]) => id.exec(text)?.[1])).size).toBeGreaterThanOrEqual(told.length - 1);
  });

  it("refuses what is missing, wrong or not allowed", async () => {
    const q = await queue();

    const statuses = [
      (await post("missing/messages", { body: "x" })).status,
      (await post(`${q}/messages`, { body: "x", headers: { brokerproperties: "{" } })).status,
      (await post(`${q}/messages`, { body: "x", headers: { "content-type": "application/x-amqp-value" } })).status,
      (await fetch(`${url}/${q}/messages`)).status,
      (await fetch(`${url}/%ff`)).status,
      (await fetch(`${url}/health`)).status,
    ];

    expect(statuses).toEqual([404, 400, 422, 405, 400, 200]);
  });

  it("checks signatures, their keys, their paths and their ends", async () => {
    await using guarded = await startServer({ queues: ["q", "other"], keys: { root: "secret" } });
    const base = `http://127.0.0.1:${guarded.port}`;
    const status = async (authorization?: string): Promise<number> =>
      (
        await fetch(`${base}/q/messages`, {
          method: "POST",
          body: "x",
          headers: authorization === undefined ? {} : { authorization },
        })
      ).status;
    const later = Date.now() + 60_000;
    const root = { name: "root", value: "secret" };

    // A refusal is answered after a pause.
    const statuses = await Promise.all([
      status(),
      status("SharedAccessSignature nonsense"),
      status(writeSas(`${base}/q`, { name: "root", value: "wrong" }, later)),
      status(writeSas(`${base}/q`, { name: "toString", value: "secret" }, later)),
      status(writeSas(`${base}/other`, root, later)),
      status(writeSas(`${base}/q`, root, Date.now() - 1000)),
      status(writeSas(`${base}/q`, root, later)),
      status(writeSas(base, root, later)),
    ]);

    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 201, 201]);
  });
});
