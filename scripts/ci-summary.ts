/**
 * Prints the end of a run's output: what ran, what was left out, and "N passed, M failed" alone on the last line.
 *
 *     node scripts/ci-summary.ts [--unfinished] PEERS REPORT…
 *
 * PEERS is the file to which `npm run test:external` has added its peers, REPORT one of vitest's JSON reports; those that are
 * not there are left out. It fails when a test was skipped without a reason, or too few languages have run; an unfinished run
 * is only counted.
 */
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type PeerRecord, summarize, type TestReport } from "./ci/summary.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { unfinished: { type: "boolean" } } });
const [record = "", ...files] = positionals;
const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
const peers = read(record)
  .split("\n")
  .filter(Boolean)
  .map((line): PeerRecord => JSON.parse(line));
const reports = files.filter((file) => existsSync(file)).map((file): TestReport => JSON.parse(read(file)));

const { passed, failed, ran, leftOut, problems } = summarize(reports, peers);
console.log(`Clients and runtimes that ran: ${ran.length === 0 ? "none" : ran.join(", ")}.`);
console.log(leftOut.length === 0 ? "Nothing was left out." : "Left out on this machine:");
for (const line of leftOut) console.log(`- ${line}`);
if (values.unfinished !== true) for (const problem of problems) console.error(problem);
console.log(`${passed} passed, ${failed} failed`);
if (problems.length > 0) process.exitCode = 1;
