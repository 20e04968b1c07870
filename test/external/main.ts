import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { probes } from "./peer-probes.support.ts";
import { isRequired, requiredPeers, selectPeers } from "./peer-selection.support.ts";
import { lossOf, peerShares, peers } from "./peers.support.ts";

/**
 * Runs `npm run test:external -- [--official-clients|--dotnet|--browser|--postgres|--rabbitmq|--other-peers] [ARGUMENTS OF VITEST]`: installs the peers
 * that the machine can have, and runs the tests in this folder, without those whose peer is missing. It says what it left out.
 *
 * REQUIRE_PEERS lists peers that must not be missing, e.g. `python java go`, or `all`. PEERS_REPORT names a file to which it
 * adds a line of JSON for each peer that was asked for.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const args = process.argv.slice(2);
const required = requiredPeers(process.env["REQUIRE_PEERS"], probes);
const share = args.includes("--other-peers") ? "others" : peerShares.find((one) => args.includes(`--${one}`));
const ours = new Set(["--other-peers", ...peerShares.map((one) => `--${one}`)]);
/** Parts of names of files to run, as vitest takes them before its options. */
const given = args.filter((argument) => !ours.has(argument));
const names = given.slice(0, given.findIndex((argument) => argument.startsWith("-")) >>> 0);

const { wanted, leftOut, files, excluded, missing } = await selectPeers({ peers, probes, names, share });

for (const { peer, reason } of leftOut) {
  const needs = peer.needs.map((name) => probes[name].needs).join("; ");
  const word = isRequired(peer, required) ? "Missing" : "Left out";
  console.error(`${word}: ${lossOf(peer)}. ${peer.name} needs ${needs}. (${reason})`);
}
const report = process.env["PEERS_REPORT"];
if (report !== undefined)
  for (const peer of wanted) {
    const { reason } = leftOut.find((one) => one.peer === peer) ?? {};
    appendFileSync(report, `${JSON.stringify({ ...peer, reason })}\n`);
  }

if (leftOut.some(({ peer }) => isRequired(peer, required))) {
  process.exitCode = 1;
} else if (files?.length !== 0) {
  const options = ["run", "--config", fileURLToPath(new URL("vitest.config.ts", import.meta.url))];
  // The projects of a configuration do not see --exclude.
  const env = { ...process.env, EXCLUDED_TESTS: excluded.join(" "), MISSING_PEERS: missing.join(" ") };
  const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
  const { status } = spawnSync(process.execPath, [vitest, ...options, ...(files ?? []), ...given], {
    cwd: root,
    env,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}
