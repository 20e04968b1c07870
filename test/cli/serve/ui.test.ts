import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { serveUi, type UiRequest } from "../../../src/cli/serve/ui.ts";
import type { EndpointOptions } from "../../../src/cli/queue/endpoint.ts";
import { serve } from "../../../src/cli/serve/serve.ts";
import { startServer } from "../../../src/serve/server/index.ts";
import { captureTerminal } from "../captured-terminal.support.ts";

interface Answer {
  readonly code: number;
  readonly text: string;
  readonly session: unknown;
  readonly entities: unknown;
}

const getJson = async (url: string): Promise<unknown> => (await fetch(url)).json();

async function ui(request: Partial<UiRequest> & EndpointOptions): Promise<Answer> {
  const terminal = captureTerminal();
  const stopping = new AbortController();
  const served = serveUi(
    { port: 0, ...request },
    terminal,
    once(stopping.signal, "abort").then(() => undefined),
  );
  await vi.waitFor(() => expect(terminal.text()).toContain("Ends with"), { interval: 5, timeout: 25_000 });
  const [at = ""] = /http:\S+/.exec(terminal.text()) ?? [];
  const session = await getJson(`${at}api/session`);
  const entities = await getJson(`${at}api/entities`);
  stopping.abort();
  return { code: await served, text: terminal.text(), session, entities };
}

describe("sobre ui", () => {
  it("has the messages of a mailbox: those that are read in a queue, the others as its dead letters", async () => {
    const { code, session, entities } = await ui({ mailbox: "fixtures/mailbox" });

    expect(code).toBe(0);
    expect(session).toMatchObject({ engine: "memory", changes: true, production: false });
    expect(entities).toMatchObject({ entities: [{ path: "mailbox", active: 44, deadLetter: 11 }] });
  });

  it("only reads a broker, unless changes are allowed", async () => {
    await using server = await startServer({ queues: ["orders"] });
    const { connectionString } = server;

    const reading = await ui({ connectionString });
    const changing = await ui({ connectionString, allowChanges: true, hideBodies: true });

    expect(reading.session).toMatchObject({ engine: "azure", changes: false, bodies: "shown", production: false });
    expect(changing.session).toMatchObject({ changes: true, bodies: "onRequest" });
    expect(reading.entities).toMatchObject({ entities: [{ path: "orders" }] });
  });

  it("knows other brokers by name, and refuses one without a name", async () => {
    await using server = await startServer({ queues: ["orders"] });

    const { session } = await ui({ mailbox: "fixtures/mailbox", toBroker: [`staging=${server.connectionString}`] });

    expect(session).toMatchObject({ brokers: ["staging"] });
    const unnamed = { mailbox: "fixtures/mailbox", toBroker: [server.connectionString] };
    await expect(serveUi({ port: 0, ...unnamed }, captureTerminal(), Promise.resolve())).rejects.toThrow(
      "--to-broker must be",
    );
  });

  it("refuses a mailbox and a connection string together", async () => {
    const both = { mailbox: "fixtures/mailbox", connectionString: "Endpoint=sb://localhost" };
    await expect(serveUi({ port: 0, ...both }, captureTerminal(), Promise.resolve())).rejects.toThrow(
      "exclude each other",
    );
  });
});

describe("the inspector of sobre serve", () => {
  it.each([
    ["reads only", undefined, 200, { changes: false }],
    ["changes with --ui change", "change", 200, { changes: true }],
    ["is not there with --ui off", "off", 404, undefined],
  ] as const)("%s", async (_what, mode, status, session) => {
    const terminal = captureTerminal();
    const stopping = new AbortController();
    const command = { port: 0, httpPort: 0, host: "localhost", ...(mode !== undefined && { ui: mode }) };
    const served = serve(
      command,
      terminal,
      once(stopping.signal, "abort").then(() => undefined),
    );
    await vi.waitFor(() => expect(terminal.text()).toContain("Ends with"), { interval: 5, timeout: 25_000 });
    const [, port] = /localhost:(\d+);/.exec(terminal.text()) ?? [];

    const answer = await fetch(`http://localhost:${port}/$ui/api/session`);
    const body: unknown = answer.ok ? await answer.json() : undefined;
    stopping.abort();
    await served;

    expect(answer.ok).toBe(status === 200);
    if (session !== undefined) expect(body).toMatchObject(session);
  });
});
