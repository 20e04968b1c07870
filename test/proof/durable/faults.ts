import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const faultProcess = fileURLToPath(new URL("fault-process.ts", import.meta.url));

/** Fills the disk, makes it read-only, and fails a sync under an engine, which must say so and keep what it acknowledged. */
export async function faults(directory: string, recorder: string): Promise<string> {
  const fault = `${directory}.fault`;
  const env = { ...process.env, LD_PRELOAD: recorder, STORE_DIR: directory, FAULT: fault };
  const child = spawn(process.execPath, [faultProcess, directory, fault], { env, stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("A fault of the disk was not handled; see above.");
  return "a full disk, a read-only disk and a failed sync were each reported, and lost nothing";
}
