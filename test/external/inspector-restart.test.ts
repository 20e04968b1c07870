import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startServer } from "../../src/serve/server/index.ts";
import { storeDirectory } from "../broker/durable/store-directory.support.ts";
import { deadLettered, jobId, order } from "../serve/inspector/inspected.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const from = "orders/$DeadLetterQueue";
const count = 60;

interface Ui {
  readonly child: ChildProcess;
  readonly ask: (path: string, body?: object) => Promise<unknown>;
}

/** Starts `sobre ui` as a user does. */
async function sobreUi(...args: readonly string[]): Promise<Ui> {
  const child = spawn(process.execPath, ["src/cli/main.ts", "ui", "--port", "0", ...args], { cwd: root });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await vi.waitFor(() => expect(text).toContain("Ends with"), { interval: 20, timeout: 50_000 });
  const [at = ""] = /http:\S+/.exec(text) ?? [];
  return {
    child,
    async ask(path, body) {
      const headers = { "content-type": "application/json" };
      const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
      const answer: unknown = await (await fetch(`${at}api/${path}`, init)).json();
      return answer;
    },
  };
}

describe("sobre ui that is killed while it sends dead letters back", () => {
  it("knows the re-drive when it is started again, goes on with it, and sends no message twice", async () => {
    await using server = await startServer({ queues: { orders: { lockDuration: "PT5S" } } });
    const ids = Array.from({ length: count }, (_, index) => `order-${index}`);
    await deadLettered(
      server.engine,
      "orders",
      ids.map((_, index) => order(index)),
    );
    const args = [
      "--connection-string",
      server.connectionString,
      "--allow-changes",
      "--redrives",
      await storeDirectory(),
    ];
    const idsIn = async (entity: string): Promise<readonly string[]> =>
      (await server.engine.peek(entity, { maxMessages: 2 * count })).map(({ envelope }) =>
        String(envelope.brokerProperties.messageId),
      );

    const first = await sobreUi(...args);
    const id = jobId(await first.ask("redrives", { from, dryRun: false, rate: 40 }));
    await vi.waitFor(async () => expect((await idsIn("orders")).length).toBeGreaterThan(10), { timeout: 30_000 });
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const sent = (await idsIn("orders")).length;
    const next = await sobreUi(...args);
    const found = await next.ask(`redrives/${id}`);
    await next.ask(`redrives/${id}/resume`, {});
    await vi.waitFor(async () => expect(await next.ask(`redrives/${id}`)).toMatchObject({ state: "done" }), {
      interval: 100,
      timeout: 30_000,
    });

    expect(sent).toBeLessThan(count);
    expect(found).toMatchObject({ state: "stopped", why: "The server ended while it ran." });
    const arrived = await idsIn("orders");
    const left = await idsIn(from);
    expect(new Set(arrived).size).toBe(arrived.length);
    expect(left.length).toBeLessThanOrEqual(1);
    expect(new Set([...arrived, ...left])).toEqual(new Set(ids));
  });
});
