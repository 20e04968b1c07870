import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { encodeValue } from "../../src/core/amqp-values/encode-value.ts";
import { writeSas } from "../../src/wire/http/sas.ts";
import { selfSignedCertificate, startServer } from "../../src/serve/server/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";

const run = promisify(execFile);

interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** An answer as curl shows it with `-i`. */
async function curl(...options: readonly string[]): Promise<Answer> {
  const { stdout } = await run("curl", ["-sS", "-i", "--max-time", "10", ...options], { encoding: "latin1" });
  const [head = "", ...rest] = stdout.replace(/^HTTP\S+ 100 .*?\r\n\r\n/s, "").split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(" ")[1]), headers: new Map(headers), body: rest.join("\r\n\r\n") };
}

describe("curl as a peer", () => {
  it("sends with properties, and takes the message as it was", async () => {
    await using server = await startServer({ queues: ["q"] });
    const url = `http://localhost:${server.port}/q/messages`;
    const brokerProperties = ["-H", 'BrokerProperties: {"MessageId":"m-1","Label":"greeting"}'];
    const own = ["-H", "tenant: acme", "-H", "Content-Type: text/plain"];

    const sent = await curl(url, ...brokerProperties, ...own, "-d", "hello");
    const taken = await curl("-X", "DELETE", `${url}/head?timeout=1`);
    const none = await curl("-X", "DELETE", `${url}/head?timeout=0`);

    expect([sent.status, taken.status, none.status]).toEqual([201, 200, 204]);
    expect(taken.body).toBe("hello");
    expect(taken.headers.get("content-type")).toBe("text/plain");
    expect(taken.headers.get("tenant")).toBe('"acme"');
    expect(JSON.parse(taken.headers.get("brokerproperties") ?? "")).toMatchObject({
      MessageId: "m-1",
      Label: "greeting",
    });
  });

  it("locks a message, renews the lock, unlocks it and completes it", async () => {
    await using server = await startServer({ queues: ["q"] });
    const url = `http://localhost:${server.port}/q/messages`;
    await curl(url, "-d", "work");

    const locked = await curl("-X", "POST", "-d", "", `${url}/head?timeout=1`);
    const location = locked.headers.get("location") ?? "";
    const renewed = await curl("-X", "POST", "-d", "", location);
    const unlocked = await curl("-X", "PUT", "-d", "", location);
    const again = await curl("-X", "POST", "-d", "", `${url}/head?timeout=1`);
    const completed = await curl("-X", "DELETE", again.headers.get("location") ?? "");

    expect([locked, renewed, unlocked, again, completed].map(({ status }) => status)).toEqual([
      201, 200, 200, 201, 200,
    ]);
    expect(again.headers.get("brokerproperties")).toContain('"DeliveryCount":2');
    expect((await server.engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(0);
  });

  it("sends large bodies, which it announces first, and brings an AMQP value back in its body kind", async () => {
    await using server = await startServer({ queues: ["q", "values"] });
    const folder = mkdtempSync(join(tmpdir(), "sobre-curl-"));
    const file = (name: string, bytes: Uint8Array): string => {
      writeFileSync(join(folder, name), bytes);
      return `@${join(folder, name)}`;
    };
    const messages = (queue: string): string => `http://localhost:${server.port}/${queue}/messages`;
    const large = new Uint8Array(200_000).fill(7);
    const value = encodeValue({ a: 1n });

    const first = await curl(messages("q"), "--data-binary", file("large", large), "-H", "Expect: 100-continue");
    const type = ["-H", "Content-Type: application/x-amqp-value"];
    const second = await curl(messages("values"), "--data-binary", file("value", value), ...type);
    rmSync(folder, { recursive: true });

    expect([first.status, second.status]).toEqual([201, 201]);
    const [bytes] = await server.engine.peek("q", { maxMessages: 1 });
    const [typed] = await server.engine.peek("values", { maxMessages: 1 });
    expect(Buffer.compare(bytes?.envelope.payload ?? new Uint8Array(), large)).toBe(0);
    expect(typed?.envelope.bodyKind).toBe("value");
    expect(Buffer.compare(typed?.envelope.payload ?? new Uint8Array(), value)).toBe(0);
  });

  it("needs a signature, over TLS on the same port, but none for the health", async () => {
    const tls = selfSignedCertificate();
    await using server = await startServer({ queues: ["q"], keys: { root: "secret" }, tls });
    const url = `https://localhost:${server.port}`;
    const token = writeSas(`${url}/q`, { name: "root", value: "secret" }, Date.now() + 60_000);
    const folder = mkdtempSync(join(tmpdir(), "sobre-curl-"));
    const trusted = ["--cacert", join(folder, "server.pem")];
    writeFileSync(join(folder, "server.pem"), tls.cert);
    const send = (...headers: readonly string[]): Promise<Answer> =>
      curl(...trusted, `${url}/q/messages`, "-d", "x", ...headers);

    const without = await send();
    const wrong = await send("-H", `Authorization: ${token.replace("sig=", "sig=x")}`);
    const right = await send("-H", `Authorization: ${token}`);
    const health = await curl(...trusted, `${url}/health`);
    rmSync(folder, { recursive: true });

    expect([without, wrong, right, health].map(({ status }) => status)).toEqual([401, 401, 201, 200]);
  });
});

describe("the page on control", () => {
  it("shows requests that a server answers", async () => {
    await using server = await startServer({ control: true, clock: new ManualClock(), queues: ["orders"] });
    const page = await readFile(new URL("../../docs/control.md", import.meta.url), "utf8");
    const lines = Array.from(page.matchAll(/^curl .*$/gm), ([line]) => line);
    expect(lines).toHaveLength(11);
    const script = [`set -e; at='http://localhost:${server.port}/$control'`, ...lines].join("\n");
    const { stdout } = await run("sh", ["-c", script.replaceAll(/^curl /gm, "curl -sS --fail ")]);
    expect(stdout).toContain('"messages":[]');
    expect(stdout).toContain('"connectionString":"Endpoint=sb://localhost:');
  });
});
