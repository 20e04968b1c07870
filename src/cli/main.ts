#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "./program.ts";
import { processTerminal } from "./terminal.ts";

/** The package's folder, for the sources and for the published files. */
const root = new URL("../../", import.meta.url);

const product = {
  version: versionOf(readFileSync(new URL("package.json", root), "utf8")),
  mailbox: fileURLToPath(new URL("fixtures/mailbox", root)),
};
// Only the exit code is set and the process ends by itself, so that all output arrives; a failed write has already set it.
// The published command is loaded by `require`, which does not support top-level await.
void run(process.argv.slice(2), product, processTerminal()).then((code) => (process.exitCode ??= code));

function versionOf(manifest: string): string {
  const json: unknown = JSON.parse(manifest);
  return typeof json === "object" && json !== null && "version" in json ? String(json.version) : "unknown";
}
