import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Server, startServer } from "../../../../src/serve/server/index.ts";

const post = (headers: string, body = "a"): string =>
  `POST /q/messages HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;

/** A request that says to be so long. */
const claim = (length: number): string =>
  `POST /q/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\nonly this`;

const asking = (length: number): string =>
  `POST /q/messages HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

describe("a hostile request", () => {
  let server: Server;

  beforeAll(async () => {
    server = await startServer({ queues: ["q"] });
  });

  afterAll(() => server.close());

  /** The server's answer to these bytes, up to the end of its first answer's headers. */
  const told = (bytes: string, port = server.port): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let text = "";
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString("latin1");
        if (!text.includes("\r\n\r\n")) return;
        socket.destroy();
        resolve(text);
      });
      socket.on("error", reject);
      socket.on("close", () => resolve(text));
      socket.write(bytes);
    });
  const status = (bytes: string, port?: number): Promise<string> => told(bytes, port).then((text) => text.slice(9, 12));

  it("is refused before its body is read, without a token or with more than the entity takes", async () => {
    await using guarded = await startServer({ queues: ["q"], keys: { root: "secret" } });

    expect(await status(claim(2 ** 40), guarded.port)).toBe("401");
    expect(await status(claim(2 ** 40))).toBe("413");
    expect(await status("PUT /new HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n")).toBe("413");
  });

  it.each([
    ["two hosts", "GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
    ["no host", "GET /health HTTP/1.1\r\n\r\n"],
    ["two lengths", "POST /q/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    [
      "a length and chunks",
      "POST /q/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a path that is not a text", "POST /q%zz/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\na"],
    ["broker properties in an array", post("BrokerProperties: [1]\r\n")],
    ["a value that is none", post("Content-Type: application/x-amqp-value\r\n", "")],
  ])("is refused with %s", async (_what, bytes) => {
    expect(await status(bytes)).toBe("400");
  });

  it("is asked for its body only when it is going to be read", async () => {
    expect(await status(asking(1))).toBe("100");
    expect(await status(asking(2 ** 30))).toBe("413");
  });

  it("is refused with an unknown transfer coding", async () => {
    const coded = "POST /q/messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n";

    expect(await status(coded)).toBe("501");
    expect(await status("TRACE /health HTTP/1.1\r\nHost: localhost\r\n\r\n")).toBe("405");
  });

  it.each([
    ["more headers than anybody needs", Array.from({ length: 3000 }, (_, index) => `h${index}: 1\r\n`).join(""), "431"],
    ["a header that does not end", `A: ${"x".repeat(100_000)}\r\n`, "431"],
    ["a blank before the colon", "Content-Length : 1\r\n", "400"],
    ["a signed length", "Content-Length: +1\r\n", "400"],
    ["another expectation", "Expect: magic\r\n", "417"],
  ])("is refused with %s", async (_what, header, expected) => {
    expect(await status(`GET /health HTTP/1.1\r\nHost: localhost\r\n${header}\r\n`)).toBe(expected);
  });

  it("is refused with chunks beyond what the entity takes, while they come", async () => {
    const chunk = `10000\r\n${"a".repeat(65_536)}\r\n`;

    expect(
      await status(
        `POST /q/messages HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}`,
      ),
    ).toBe("413");
  });

  it("reaches no other entity by dots, slashes or line ends in its path", async () => {
    const paths = ["a/../q", "a/%2e%2e/q", "q%00", "q%0d%0aX:1"];

    const answers = await Promise.all(
      paths.map((path) => status(`POST /${path}/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\na`)),
    );

    expect(answers.filter((code) => code === "201")).toEqual([]);
  });

  it("is for the host that its target names, in a proxy's form", async () => {
    expect(await status("GET http://other:1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")).toBe("200");
  });

  it.skipIf(process.versions.node.startsWith("22."))(
    "is answered as it is when it offers another protocol",
    async () => {
      const offer = "GET /health HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n";

      expect(await status(offer)).toBe("200");
    },
  );

  it("puts no line ends into the headers of what is received", async () => {
    await server.engine.admin.createQueue("lines");
    const properties = JSON.stringify({ MessageId: "a\r\nX-Made: 1", Label: "\u2028" });
    const headers = `P: "a\\r\\nX-Made: 1"\r\nBrokerProperties: ${properties}\r\n`;
    await told(post(headers).replace("/q/", "/lines/"));

    const received = await told("DELETE /lines/messages/head?timeout=0 HTTP/1.1\r\nHost: localhost\r\n\r\n");

    expect(received).toMatch(/^HTTP\/1.1 200/);
    expect(received).toContain("a\\r\\nX-Made: 1");
    expect(received).not.toMatch(/^X-Made/m);
  });
});
