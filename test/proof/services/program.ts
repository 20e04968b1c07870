import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Starts a program of the repository, which has the library by its name. */
export function startProgram(args: readonly string[], stdio: StdioOptions, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const options = ["--conditions=sobre-source", "--disable-warning=ExperimentalWarning"];
  return spawn(process.execPath, [...options, ...args], { cwd: root, env: { ...process.env, ...env }, stdio });
}

/** Kills a process and waits for its end. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
