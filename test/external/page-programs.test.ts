import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { selfSignedCertificate, type Server, startServer } from "../../src/serve/server/index.ts";
import { ManualClock } from "../../src/core/time/index.ts";
import { needsPeer } from "./missing-peers.support.ts";
import { programOf, programsOf, runProgram } from "./page-programs.support.ts";

describe("the programs of docs/control.md", () => {
  const clock = new ManualClock();
  let server: Server;

  /** Runs the page's program against this server: only its port differs from what the page says. */
  const run = (language: "js" | "python" | "java" | "go"): Promise<string> =>
    runProgram(language, programOf("control.md", "In four languages", language).replace(":5300", `:${server.port}`));

  beforeAll(async () => {
    server = await startServer({ control: true, clock, queues: ["orders"] });
  });
  afterAll(() => server.close());

  const both = [
    ["js", {}],
    ["python", needsPeer("python")],
  ] as const;
  for (const [language, options] of both)
    it(`make a namespace of its own: ${language}`, options, async () => {
      const printed = await run(language);

      expect(printed).toMatch(/^Endpoint=sb:\/\/localhost:\d+;SharedAccessKeyName=run-17;.*\n$/);
      const queue = await server.namespace("run-17").engine.admin.getQueue("orders");
      expect(queue).toMatchObject({ maxDeliveryCount: 3 });
      await fetch(`http://localhost:${server.port}/$control/namespaces/run-17`, { method: "DELETE" });
    });

  it("let a minute pass: java", needsPeer("java"), async () => {
    const before = clock.now();

    const printed = await run("java");

    expect(clock.now() - before).toBe(60_000);
    expect(JSON.parse(printed)).toMatchObject({ now: new Date(clock.now()).toISOString() });
  });

  it("have the next send refused: go", needsPeer("go"), async () => {
    const printed = await run("go");

    expect(printed).toMatch(/^20\d /);
    const messages = `http://localhost:${server.port}/orders/messages`;
    const first = await fetch(messages, { method: "POST", body: "x" });
    const second = await fetch(messages, { method: "POST", body: "x" });
    expect([first.status, second.status]).toEqual([503, 201]);
  });
});

describe("the programs of docs/clients.md", () => {
  const tls = selfSignedCertificate();
  let folder: string;
  let certificate: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "sobre-clients-"));
    certificate = join(folder, "certificate.pem");
    writeFileSync(certificate, tls.cert);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs a program as the page says, with the variables that it names. */
  async function run(
    language: "js" | "python" | "java" | "go",
    code: string,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly printed: string; readonly queues: readonly string[]; readonly left: number }> {
    await using server = await startServer({ tls, queues: ["orders"] });
    const printed = await runProgram(language, code, {
      SERVICEBUS_CONNECTION_STRING: server.connectionString,
      SERVER_CERTIFICATE: certificate,
      ...variables,
    });
    const queues = await server.engine.admin.listQueues();
    const counts = await Promise.all(
      queues.map(async (name) => (await server.engine.admin.getQueueRuntimeProperties(name)).totalMessageCount),
    );
    return { printed, queues, left: counts.reduce((sum, count) => sum + count, 0) };
  }

  it("administer, send and receive: JavaScript", async () => {
    const program = programOf("clients.md", "JavaScript", "js");

    const outcome = await run("js", program, { NODE_EXTRA_CA_CERTS: certificate });

    expect(outcome).toEqual({ printed: "12.5\n", queues: ["invoices", "orders"], left: 0 });
  });

  it("administer, send and receive, and send over a WebSocket: Python", needsPeer("python"), async () => {
    const [first = "", second = ""] = programsOf("clients.md", "Python", "python");

    const outcome = await run("python", `${first}\n${second}`);

    expect(outcome).toEqual({ printed: '{"total": 12.5}\n', queues: ["invoices", "orders"], left: 1 });
  });

  it("send and receive: Java", needsPeer("java"), async () => {
    const [program = ""] = programsOf("clients.md", "Java", "java");

    const outcome = await run("java", program);

    expect(outcome).toMatchObject({ printed: expect.stringContaining('{"total": 12.5}\n'), left: 0 });
  });

  it("administer, send and receive: Go", needsPeer("go"), async () => {
    const program = programOf("clients.md", "Go", "go");

    const outcome = await run("go", program, { SSL_CERT_FILE: certificate });

    expect(outcome).toEqual({ printed: '{"total": 12.5}\n', queues: ["invoices", "orders"], left: 0 });
  });
});

describe("the programs of docs/clients.md for .NET", () => {
  const [program = "", tests = ""] = programsOf("clients.md", ".NET", "csharp");

  it("administer, send and receive", needsPeer("dotnet"), async () => {
    await using server = await startServer({ queues: ["orders"] });

    const printed = await runProgram("csharp", program, { SERVICEBUS_CONNECTION_STRING: server.connectionString });

    expect(printed).toBe('{"total": 12.5}\n');
    expect(await server.engine.admin.getQueue("invoices")).toMatchObject({ maxDeliveryCount: 3 });
    expect(await server.engine.peek("invoices", { maxMessages: 1 })).toEqual([]);
  });

  it("test with a server for each class", needsPeer("dotnet"), async () => {
    const folder = mkdtempSync(join(tmpdir(), "sobre-xunit-"));
    // Here, npx finds this repository's command.
    const main = join(import.meta.dirname, "../../src/cli/main.ts");
    writeFileSync(join(folder, "npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${main}" "$@"\n`, {
      mode: 0o755,
    });

    const printed = await runProgram("csharp", tests, { PATH: `${folder}:${process.env["PATH"]}` });

    rmSync(folder, { recursive: true });
    expect(printed).toMatch(/Total: 2, Errors: 0, Failed: 0, Skipped: 0/);
  });
});

describe("the programs of docs/serve.md", () => {
  it("accept access tokens of another issuer", async () => {
    const before = `
      import { generateKeyPair, jwtVerify, SignJWT } from "jose";
      import { azureEngine } from "sobre/engines/azure";
      import { selfSignedCertificate, startServer } from "sobre/server";
      const { cert, key } = selfSignedCertificate();
      const { publicKey: issuerKeys, privateKey } = await generateKeyPair("ES256");
      const issuer = "https://issuer.test";
    `;
    const after = `
      const credential = (by: string) => ({
        getToken: async () => ({
          token: await new SignJWT().setProtectedHeader({ alg: "ES256" }).setIssuer(by)
            .setAudience("https://servicebus.azure.net").setExpirationTime("1h").sign(privateKey),
          expiresOnTimestamp: Date.now() + 3_600_000,
        }),
      });
      await server.engine.admin.createQueue("orders");
      for (const by of [issuer, "https://another.test"]) {
        const engine = azureEngine({
          fullyQualifiedNamespace: "localhost:" + server.port, credential: credential(by), ca: cert,
        });
        console.log(await engine.openSender("orders").then(() => "open", ({ code }) => code));
        await engine.close();
      }
      await server.close();
    `;

    const printed = await runProgram("ts", before + programOf("serve.md", "Keys", "ts") + after);

    expect(printed).toBe("open\nUnauthorizedAccess\n");
  });
});
