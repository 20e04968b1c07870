import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { peers } from "./peers.support.ts";

/**
 * Runs `npm run test:servers -- [--all] [ARGUMENTS OF VITEST]`: installs the peers that the machine can have, and runs the
 * tests in this folder, without those whose peer is missing. It says what it left out; with `--all` that is a failure.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const args = process.argv.slice(2);
const all = args.includes("--all");
const excluded: string[] = [];

for (const { name, needs, tests, install } of peers) {
  try {
    await install();
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).trim().split("\n").slice(-1);
    console.error(`${all ? "Missing" : "Left out"}: ${tests.join(", ")}. ${name} needs ${needs}. (${reason})`);
    excluded.push(...tests);
  }
}
if (all && excluded.length > 0) {
  process.exitCode = 1;
} else {
  const options = ["run", "--config", "test/servers/vitest.config.ts"];
  const exclude = excluded.flatMap((test) => ["--exclude", `test/servers/${test}`]);
  const rest = args.filter((argument) => argument !== "--all");
  const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
  const { status } = spawnSync(process.execPath, [vitest, ...options, ...exclude, ...rest], {
    cwd: root,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}
