import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { durableEngine } from "../../../src/broker/durable/index.ts";

const faultProcess = fileURLToPath(new URL("fault-process.ts", import.meta.url));

const kinds = ["full", "readonly", "sync", "write", "database"] as const;

/** Fills the disk, makes it read-only, and fails a sync or write under an engine, which must say so and keep what it acknowledged. */
export async function faults(scratch: string, recorder: string): Promise<string> {
  for (const kind of kinds) await fails(`${scratch}-${kind}`, recorder, kind);
  return "a full disk, a read-only disk, and failed syncs and writes were each reported, and lost nothing, as a restart showed";
}

async function fails(directory: string, recorder: string, kind: string): Promise<void> {
  const fault = `${directory}.fault`;
  const env = { ...process.env, LD_PRELOAD: recorder, STORE_DIR: directory, FAULT: fault };
  const child = spawn(process.execPath, [faultProcess, directory, fault, kind], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [acknowledged, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  if (code !== 0) throw new Error(`A disk that is ${kind} was not handled; see above.`);
  const engine = await durableEngine({ directory });
  const there = await engine.peek("orders", { maxMessages: 1000 });
  await engine.close();
  const ids = new Set(there.map(({ envelope }) => String(envelope.brokerProperties.messageId)));
  const missing = acknowledged.split(" ").filter((id) => !ids.has(id));
  if (missing.length > 0) throw new Error(`After a restart these are missing: ${missing.join(", ")}.`);
}
