import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, mkdtempSync, readFileSync, rmSync, truncateSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { json } from "../../codecs/json/index.ts";
import { legacy } from "../../codecs/legacy/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { migrate, type MigrationSource, type SourceMessage } from "../../src/migration/index.ts";

const messages = 200_000;
/** MiB of heap; the payloads alone take more than twice as much. */
const heap = 48;

const run = promisify(execFile);

/** Migrates many messages in a small heap, cuts the output in the middle, goes on, and compares the bytes. */
export async function prove(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sobre-proof-"));
  const output = join(folder, "new.ndjson");
  try {
    await inSmallHeap(output);
    const whole = await digestOf(output);
    truncateSync(output, Math.floor(statSync(output).size * 0.9) + 3);
    truncateSync(`${output}.journal`, Math.floor(statSync(`${output}.journal`).size * 0.92) + 5);
    await inSmallHeap(output);
    if ((await digestOf(output)) !== whole) throw new Error("The output of a migration that was cut is another one.");
    const size = Math.round(statSync(output).size / 2 ** 20);
    return `${messages} messages migrated in a heap of ${heap} MiB, ${size} MiB written; cut and gone on with, the same bytes`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function inSmallHeap(output: string): Promise<void> {
  const args = [`--max-old-space-size=${heap}`, fileURLToPath(import.meta.url), output];
  await run(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: "" } });
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

/** Orders that differ, made when they are asked for. */
function lazily(): MigrationSource {
  const order = readFileSync(new URL("../../fixtures/legacy/dotnet/nbfx-dcs-order.bin", import.meta.url));
  const at = order.indexOf("P-001");
  return {
    name: "orders",
    size: messages,
    async *messages(): AsyncGenerator<SourceMessage> {
      for (let index = 0; index < messages; index++) {
        const payload = new Uint8Array(order);
        // The order's number, in as many digits.
        payload.set(new TextEncoder().encode(`${index % 100_000}`.padStart(5, "0")), at);
        const envelope = createEnvelope({ payload, brokerProperties: { messageId: `m-${index}` } });
        yield { id: `orders#${index}`, order: BigInt(index), done: index + 1, content: { ok: true, envelope } };
      }
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const readers = legacy();
  const serializer = createSerializer({
    codecs: [json(), ...readers],
    fallback: ["json", ...readers],
    whenUnknown: "fallback",
  });
  const [output = ""] = process.argv.slice(2);
  const { report } = await migrate({ source: lazily(), serializer, target: { format: "json" }, output, resume: true });
  if (report.messages !== messages || report.verdict !== "clean")
    throw new Error(`${report.verdict} after ${report.messages}`);
}
