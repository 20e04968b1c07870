import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { IncomingMessage } from "node:http";
import { get } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { run } from "../../src/cli/program.ts";
import { serve, type ServeCommand } from "../../src/cli/serve/serve.ts";
import { selfSignedCertificate } from "../../src/serve/server/index.ts";
import { captureTerminal } from "./captured-terminal.support.ts";

const scratch = mkdtempSync(join(tmpdir(), "sobre-serve-"));
afterAll(() => rmSync(scratch, { recursive: true }));

function configFile(json: unknown): string {
  const path = join(scratch, "Config.json");
  writeFileSync(path, JSON.stringify(json));
  return path;
}

const request: ServeCommand = { port: 0, httpPort: 0, host: "localhost" };

const ignore = (): void => undefined;

/** The status of an https request to what is served, with the certificate trusted that its text names. */
async function answerOver(
  command: ServeCommand,
  trusted: (text: string) => string,
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const terminal = captureTerminal();
  const stopping = new AbortController();
  const served = serve(command, terminal, once(stopping.signal, "abort").then(ignore));
  await vi.waitFor(() => expect(terminal.text()).toContain("Ends with"), { interval: 5, timeout: 25_000 });
  const text = terminal.text();
  const [, port] = /localhost:(\d+);/.exec(text) ?? [];
  const asked = get({ host: "localhost", port, path: "/health", ca: trusted(text), agent: false });
  const [response] = await once(asked, "response");
  stopping.abort();
  await served;
  return { status: response instanceof IncomingMessage ? response.statusCode : undefined, text };
}

/** Whether a server with a key warns that nothing is encrypted. */
async function warned(given: Partial<ServeCommand>): Promise<boolean> {
  const terminal = captureTerminal();
  await serve({ ...request, key: { app: "secret" }, ...given }, terminal, Promise.resolve());
  return terminal.errors().includes("keys and messages travel unencrypted on 0.0.0.0. Add --tls");
}

describe("sobre serve --emulator", () => {
  it("refuses an EMULATOR_HTTP_PORT that is not a port", async () => {
    const command = { port: 0, emulator: true, emulatorHttpPort: "http" };
    await expect(serve(command, captureTerminal(), Promise.resolve())).rejects.toThrow(
      "EMULATOR_HTTP_PORT must be a port",
    );
  });

  it("listens on every address without keys, and says that it is up in the emulator's words", async () => {
    const terminal = captureTerminal();
    await serve({ port: 0, httpPort: 0, emulator: true }, terminal, Promise.resolve());
    expect(terminal.text()).toContain("Serving on 0.0.0.0:");
    expect(terminal.text()).toContain("Emulator Service is Successfully Up!");
    expect(terminal.errors()).toBe("");
  });
});

describe("sobre serve", () => {
  it("refuses messages beyond --max-memory", async () => {
    const terminal = captureTerminal();
    const stopping = new AbortController();
    const command = { ...request, queue: ["q"], maxMemory: 1 };
    const served = serve(command, terminal, once(stopping.signal, "abort").then(ignore));
    await vi.waitFor(() => expect(terminal.text()).toContain("Ends with"), { interval: 5, timeout: 25_000 });
    const [, port] = /localhost:(\d+);/.exec(terminal.text()) ?? [];
    const send = async (): Promise<number> =>
      (await fetch(`http://localhost:${port}/q/messages`, { method: "POST", body: "x".repeat(600_000) })).status;

    expect([await send(), await send()]).toEqual([201, 403]);
    stopping.abort();
    await served;
  });

  it("prints the connection string and the entities of the configuration", async () => {
    const terminal = captureTerminal();
    const config = configFile({
      UserConfig: {
        Namespaces: [
          {
            Name: "sbemulatorns",
            Queues: [{ Name: "orders" }],
            Topics: [{ Name: "news", Subscriptions: [{ Name: "all" }] }],
          },
        ],
        Logging: { Type: "File" },
      },
    });

    const code = await serve({ ...request, config, queue: ["more"] }, terminal, Promise.resolve());

    expect(code).toBe(0);
    expect(terminal.text()).toMatch(
      /^Endpoint=sb:\/\/localhost:\d+;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true$/m,
    );
    for (const line of ["queue         more", "queue         orders", "topic         news", "subscription  news/all"])
      expect(terminal.text()).toContain(line);
  });

  it("takes keys from a file and from the environment, and prints neither", async () => {
    const keyFile = join(scratch, "keys");
    writeFileSync(keyFile, "# rotated in May\napp=first secret=\n\nreader=second secret\n");
    const terminal = captureTerminal();

    await serve({ ...request, keyFile, keyVariable: "root=third secret; other=fourth" }, terminal, Promise.resolve());

    expect(terminal.text()).toContain("SharedAccessKeyName=root;SharedAccessKey=(not shown);");
    expect(terminal.text()).not.toMatch(/secret|fourth/);
  });

  it.each([
    ["an empty variable", { keyVariable: " " }, "SOBRE_SERVE_KEYS has no key"],
    ["a key without a name", { keyVariable: "=hidden" }, "every key of SOBRE_SERVE_KEYS must be NAME=KEY"],
    ["a name twice", { keyVariable: "a=hidden;a=hidden" }, "every key of SOBRE_SERVE_KEYS gives a twice"],
  ])("refuses %s without repeating it", async (_, given, message) => {
    const served = serve({ ...request, ...given }, captureTerminal(), Promise.resolve());

    await expect(served).rejects.toThrow(message);
    await expect(served).rejects.not.toThrow("hidden");
  });

  it("warns that keys travel unencrypted where others can reach it", async () => {
    expect(await warned({ host: "0.0.0.0" })).toBe(true);
    expect(await warned({ host: "0.0.0.0", tls: true })).toBe(false);
    expect(await warned({})).toBe(false);
  });

  it("is opened by the keys of the configuration, unless the command gives others", async () => {
    const keys = [{ Name: "app", Key: "secret", Rights: ["Listen"] }];
    const config = configFile({ UserConfig: { Namespaces: [{ Name: "n", SharedAccessKeys: keys }] } });
    const [configured, given] = [captureTerminal(), captureTerminal()];

    await serve({ ...request, config }, configured, Promise.resolve());
    await serve({ ...request, config, key: { other: "text" } }, given, Promise.resolve());

    expect(configured.text()).toContain("SharedAccessKeyName=app;SharedAccessKey=(not shown);");
    expect(configured.text()).not.toContain("secret");
    expect(given.text()).toContain("SharedAccessKeyName=other;SharedAccessKey=text;");
  });

  it("names an unknown key of the configuration", async () => {
    const config = configFile({ UserConfig: { Namespaces: [{ Name: "n", Queues: [{ Name: "q", Colour: 1 }] }] } });
    const terminal = captureTerminal();

    const code = await run(["serve", "--config", config], { version: "1", mailbox: "" }, terminal);

    expect(code).toBe(2);
    expect(terminal.errors()).toContain("Colour");
  });

  it("with --port 0 takes a free port for HTTP, too, and prints both", async () => {
    const terminal = captureTerminal();

    const code = await serve({ port: 0, host: "localhost" }, terminal, Promise.resolve());

    const [, port = "", httpPort = ""] =
      /^Serving on localhost:(\d+) and localhost:(\d+) \(HTTP\)\.$/m.exec(terminal.text()) ?? [];
    expect(code).toBe(0);
    expect([port, httpPort].every((one) => Number(one) > 0 && one !== "5300")).toBe(true);
    expect(port).not.toBe(httpPort);
  });

  it("says that a port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const terminal = captureTerminal();

    const code = await serve({ ...request, port }, terminal, Promise.resolve());
    other.close();

    expect(code).toBe(1);
    expect(terminal.errors()).toContain(`--port: The port ${port} is in use`);
  });

  it("leaves a queue what its configuration says when the command names it, too", async () => {
    const terminal = captureTerminal();
    const config = configFile({
      UserConfig: { Namespaces: [{ Name: "n", Queues: [{ Name: "orders", Properties: { RequiresSession: true } }] }] },
    });
    const code = await serve({ ...request, config, queue: ["Orders", "more"] }, terminal, Promise.resolve());

    expect(code).toBe(0);
    expect(terminal.text().match(/queue {9}\S+/g)).toEqual(["queue         more", "queue         orders"]);
  });

  it("says which entity of the configuration is wrong", async () => {
    const config = configFile({
      UserConfig: {
        Namespaces: [{ Name: "n", Queues: [{ Name: "a" }, { Name: "b", Properties: { LockDuration: "PT6M" } }] }],
      },
    });
    const terminal = captureTerminal();

    const code = await run(["serve", "--port", "0", "--config", config], { version: "1", mailbox: "" }, terminal);

    expect(code).toBe(2);
    expect(terminal.errors()).toContain("The queue b: lockDuration must be");
  });

  it("speaks TLS with a certificate it is given, or says where the one is that it has made", async () => {
    const { cert, key } = selfSignedCertificate();
    const files = { cert: join(scratch, "cert.pem"), certKey: join(scratch, "key.pem") };
    writeFileSync(files.cert, cert);
    writeFileSync(files.certKey, key);

    const given = await answerOver({ ...request, ...files }, () => cert);
    const made = await answerOver({ ...request, tls: true }, (text) =>
      readFileSync(/certificate {3}(\S+)/.exec(text)?.[1] ?? "", "utf8"),
    );

    expect([given.status, made.status]).toEqual([200, 200]);
    expect(given.text).not.toContain("certificate   ");
    expect(existsSync(/certificate {3}(\S+)/.exec(made.text)?.[1] ?? scratch)).toBe(false);
  });

  it.each([
    [["--host", "0.0.0.0"], "give a key"],
    [["--port", "70000"], "--port must be a number"],
    [["--key", "secret"], "--key must be NAME=KEY"],
    [["--key", "a=1", "--key", "a=2"], "--key gives a twice"],
    [["--key", "a=1;2", "--port", "0"], 'must be a string without ";"'],
    [["--cert", "a.pem"], "--cert and --cert-key must be given together"],
    [["--tls", "--cert", "a", "--cert-key", "b"], "give only one of them"],
    [["--cert", join(scratch, "none"), "--cert-key", join(scratch, "none")], "no such file"],
    [["--queue", "", "--port", "0"], "An entity's name must have"],
    [["--queue", "a", "--queue", "A", "--port", "0"], "'A' already exists"],
    [["--config", join(scratch, "missing.json")], "no such file"],
  ])("refuses %j", async (args, why) => {
    const terminal = captureTerminal();

    const code = await run(["serve", ...args], { version: "1", mailbox: "" }, terminal);

    expect(code).toBe(2);
    expect(terminal.errors()).toContain(why);
  });
});
