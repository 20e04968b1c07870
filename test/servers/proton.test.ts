import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startServer } from "../../src/server/index.ts";
import { python } from "./installed.support.ts";

const script = fileURLToPath(new URL("proton_peer.py", import.meta.url));
const run = promisify(execFile);

describe("qpid-proton as a peer", () => {
  it("sends, receives, is refused, and has its transactions applied as a whole or not at all", async () => {
    await using server = await startServer({ queues: ["q", "t"] });

    const { stdout } = await run(python, [script, String(server.port)], { timeout: 20_000 });

    const seen: unknown = JSON.parse(stdout);
    const sent = await server.engine.peek("t", { maxMessages: 10 });
    expect(seen).toMatchObject({
      received: [...[0, 1, 2, 3, 4].map((number) => [String(number), number]), ["large", null]],
      missing: expect.stringContaining("could not be found"),
      transactions: ["aborted", "committed"],
    });
    expect(sent.map(({ envelope }) => envelope.brokerProperties.messageId)).toEqual(["1-0", "1-1"]);
    expect((await server.engine.admin.getQueueRuntimeProperties("q")).totalMessageCount).toBe(0);
  });
});
