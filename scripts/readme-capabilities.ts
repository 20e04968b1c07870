import { readFile, writeFile } from "node:fs/promises";
import { capabilityTable } from "../test/broker/conformance/capability-table.support.ts";

/** Writes the capability table of the memory engine into the README, from a run of the conformance suite. */
const path = new URL("../README.md", import.meta.url);
const readme = await readFile(path, "utf8");
await writeFile(
  path,
  readme.replace(/\| capability +\| memory engine[^]*?\| all [^\n]*\n/, `${await capabilityTable()}\n`),
);
