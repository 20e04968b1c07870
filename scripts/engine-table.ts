/** Writes what the engines passed into `docs/engines.md`, from a run of the conformance suite on the memory engine. */
import { readFile, writeFile } from "node:fs/promises";
import { capabilityTable } from "../test/broker/conformance/capability-table.support.ts";

const path = new URL("../docs/engines.md", import.meta.url);
const page = await readFile(path, "utf8");
const table = await capabilityTable();
const [, count] = /^\| all .*?(\d+ of \d+)/m.exec(table) ?? [];
if (count === undefined) throw new Error("The table of the suite has no row for all cases.");
await writeFile(
  path,
  page
    .replace(/\| capability +\| memory engine[^]*?\| all [^\n]*\n/, `${table}\n`)
    // Tests hold the other engines to the whole suite.
    .replaceAll(/(?<=^\| \[`(?:durable|postgres)Engine.*\| )\d+ of \d+/gm, count),
);
