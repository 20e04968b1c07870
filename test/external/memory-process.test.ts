import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
const module = new URL("../../src/broker/memory/index.ts", import.meta.url).href;

/** Runs a program that has nothing else to stay alive for. */
async function output(body: string): Promise<string> {
  const program = `
    import { memoryEngine } from ${JSON.stringify(module)};
    const engine = memoryEngine({ queues: { q: {}, s: { requiresSession: true } } });
    ${body}`;
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const { stdout } = await run(process.execPath, ["--conditions=sobre-source", "--input-type=module", "-e", program], {
    cwd,
  });
  return stdout.trim();
}

describe("a process with a memory engine", () => {
  it("stays alive for a receive that waits, and for a session that is waited for, then ends", async () => {
    const text = await output(`
      const receiver = await engine.openReceiver("q", { receiveMode: "peekLock" });
      console.log((await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 30 })).length);
      const options = { receiveMode: "peekLock", sessionId: undefined, maxWaitTimeInMs: 30 };
      console.log(await engine.acceptSession("s", options).catch(({ code }) => code));
      engine.openReceiver("q", { receiveMode: "peekLock" });`);

    expect(text.split("\n")).toEqual(["0", "ServiceTimeout"]);
  });
});
