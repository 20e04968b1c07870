import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { serve, type ServeCommand } from "../../src/cli/serve/serve.ts";
import { azureEngine } from "../../src/broker/azure/index.ts";
import type { Engine } from "../../src/core/engine/engine.ts";
import { createEnvelope } from "../../src/core/envelope/envelope.ts";
import { storeDirectory } from "../broker/durable/store-directory.support.ts";
import { captureTerminal } from "../cli/captured-terminal.support.ts";

let directory = "";
beforeAll(async () => {
  directory = await storeDirectory();
});
afterAll(() => rm(directory, { recursive: true }));

function request(): ServeCommand {
  return { data: directory, port: 0, httpPort: 0, host: "localhost", queue: ["orders"], quiet: true };
}

const ignore = (): void => undefined;

/** Serves while `use` works with what is served. */
async function whileServed(use: (engine: Engine) => Promise<void>): Promise<void> {
  const terminal = captureTerminal();
  const stopping = new AbortController();
  const served = serve(request(), terminal, once(stopping.signal, "abort").then(ignore));
  await vi.waitFor(() => expect(terminal.text()).toContain("Endpoint="), { interval: 5, timeout: 25_000 });
  const engine = azureEngine({ connectionString: terminal.text().trim() });
  await use(engine);
  await engine.close();
  stopping.abort();
  expect(await served).toBe(0);
}

describe("sobre serve --data", () => {
  it("serves after a restart what was sent before", async () => {
    await whileServed(async (engine) => {
      const sender = await engine.openSender("orders");
      await sender.send([createEnvelope({ payload: new Uint8Array([1, 2]), brokerProperties: { messageId: "one" } })]);
    });

    await whileServed(async (engine) => {
      const receiver = await engine.openReceiver("orders", { receiveMode: "receiveAndDelete" });
      const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 1000 });
      expect(delivery?.envelope.brokerProperties.messageId).toBe("one");
      expect(delivery?.envelope.payload).toEqual(new Uint8Array([1, 2]));
      expect(delivery?.deliveryCount).toBe(0);
    });

    await whileServed(async (engine) => {
      expect(await engine.peek("orders", { maxMessages: 10 })).toEqual([]);
    });
  });

  it("names the process that has the directory, and ends with 1", async () => {
    const terminal = captureTerminal();
    await whileServed(async () => {
      expect(await serve(request(), terminal, Promise.resolve())).toBe(1);
    });

    expect(terminal.errors()).toContain(`is in use by process ${process.pid}`);
  });

  it("ends with 1 where the directory cannot be created, naming the place", async () => {
    const file = join(directory, "file");
    await writeFile(file, "");
    const refusals = ["/proc/no-such-folder/broker", file, join(file, "broker")].map(async (data) => {
      const terminal = captureTerminal();
      return [await serve({ ...request(), data }, terminal, Promise.resolve()), terminal.errors()];
    });

    expect(await Promise.all(refusals)).toEqual([
      [1, expect.stringContaining("/proc/no-such-folder cannot be created")],
      [1, expect.stringContaining(`${file} cannot be created: a file has its name`)],
      [1, expect.stringContaining(`${file} cannot be created: a file has its name`)],
    ]);
  });

  it("ends with 1 where files cannot be created in the directory", async () => {
    const terminal = captureTerminal();

    expect(await serve({ ...request(), data: "/proc" }, terminal, Promise.resolve())).toBe(1);
    expect(terminal.errors()).toContain("The store in /proc cannot be written.");
  });
});
