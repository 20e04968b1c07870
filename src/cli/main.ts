#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "./program.ts";
import { processTerminal } from "./terminal.ts";

/** The package's folder: two folders up in the sources, three in `dist`. */
const root = ["../../", "../../../"]
  .map((up) => new URL(up, import.meta.url))
  .find((folder) => existsSync(new URL("package.json", folder)));

const product = {
  version: versionOf(root && readFileSync(new URL("package.json", root), "utf8")),
  mailbox: root === undefined ? "fixtures/mailbox" : fileURLToPath(new URL("fixtures/mailbox", root)),
};
const terminal = processTerminal();
const code = await run(process.argv.slice(2), product, terminal);
// The code is set and the process left to end by itself, so that everything written arrives; what could not be written
// has set it before.
process.exitCode ??= code;

function versionOf(manifest: string | undefined): string {
  const json: unknown = manifest === undefined ? undefined : JSON.parse(manifest);
  return typeof json === "object" && json !== null && "version" in json ? String(json.version) : "unknown";
}
