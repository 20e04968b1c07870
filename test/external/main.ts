import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { peers } from "./peers.support.ts";

/**
 * Runs `npm run test:external -- [--all] [--official-clients|--browser|--postgres|--other-peers] [ARGUMENTS OF VITEST]`: installs the peers that the machine can have, and runs the
 * tests in this folder, without those whose peer is missing. It says what it left out; with `--all` that is a failure.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const args = process.argv.slice(2);
const shares = ["official-clients", "browser", "postgres"] as const;
const ours = new Set(["--all", "--other-peers", ...shares.map((share) => `--${share}`)]);
const all = args.includes("--all");
const only = shares.find((share) => args.includes(`--${share}`));
const others = args.includes("--other-peers");
/** Parts of names of files to run, as vitest takes them before its options. */
const given = args.filter((argument) => !ours.has(argument));
const names = given.slice(0, given.findIndex((argument) => argument.startsWith("-")) >>> 0);
const isNamed = (test: string): boolean => names.length === 0 || names.some((name) => test.includes(name));
const wanted = peers
  .filter(({ tests }) => tests.some(isNamed))
  .filter(({ share }) => (only === undefined ? !others || share === undefined : share === only));
const excluded = others ? peers.filter(({ share }) => share !== undefined).flatMap(({ tests }) => tests) : [];
const missing: string[] = [];

for (const { name, needs, tests, install } of wanted) {
  try {
    await install();
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).trim().split("\n").slice(-1);
    console.error(`${all ? "Missing" : "Left out"}: ${tests.join(", ")}. ${name} needs ${needs}. (${reason})`);
    missing.push(...tests);
  }
}
if (all && missing.length > 0) {
  process.exitCode = 1;
} else {
  const options = ["run", "--config", "test/external/vitest.config.ts"];
  // The projects of a configuration do not see --exclude.
  const env = { ...process.env, EXCLUDED_TESTS: [...excluded, ...missing].join(" ") };
  const files = only === undefined ? [] : new Set(wanted.flatMap(({ tests }) => tests));
  const rest = [...files, ...given];
  const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
  const { status } = spawnSync(process.execPath, [vitest, ...options, ...rest], { cwd: root, env, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
