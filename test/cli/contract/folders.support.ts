import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CapturedTerminal } from "../captured-terminal.support.ts";
import { scratchFolder, sobre } from "../calls.support.ts";

/** A version of an order, and one after it that breaks. */
export const older: object = {
  type: "object",
  properties: { id: { type: "string" }, note: { type: "string" } },
  required: ["id"],
};
export const newer: object = { ...older, required: ["id", "note"] };

/** A subject whose versions break. */
export const broken: Readonly<Record<string, unknown>> = {
  "order/1.0.schema.json": older,
  "order/1.1.schema.json": newer,
};

/** Makes folders of a test file's own. */
export interface ContractFolders {
  readonly scratch: string;
  readonly file: (name: string, content: string | Uint8Array) => string;
  /** A folder of files, which are JSON unless they are text. */
  readonly folderOf: (files: Readonly<Record<string, unknown>>) => string;
}

/** Folders of subjects, which go away after the tests. */
export function contractFolders(): ContractFolders {
  const { scratch, file } = scratchFolder();
  let folders = 0;
  return {
    scratch,
    file,
    folderOf(files) {
      const folder = `folder-${folders++}`;
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(scratch, folder, name)), { recursive: true });
        file(`${folder}/${name}`, typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
      }
      return join(scratch, folder);
    },
  };
}

/** Runs `sobre contract check` on a folder of subjects. */
export function check(
  folder: string,
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly terminal: CapturedTerminal }> {
  return sobre("contract", "check", "-s", folder, ...args);
}

interface Report {
  readonly pairs: readonly { readonly findings: readonly { readonly witness: { readonly hash: string } }[] }[];
}

/** The hash of the first witness of a report. */
export function hashIn(text: string): string {
  const report: Report = JSON.parse(text);
  return report.pairs[0]?.findings[0]?.witness.hash ?? "none";
}

/** The codes of all findings of a report in JSON. */
export function codesIn(terminal: CapturedTerminal): readonly string[] {
  const report: { pairs: { findings: { code: string }[] }[]; changes: { code: string }[] } = JSON.parse(
    terminal.text(),
  );
  return [...report.pairs.flatMap(({ findings }) => findings), ...report.changes].map(({ code }) => code);
}

/** Writes a file of JSON below a folder. */
export function put(folder: string, name: string, content: unknown): void {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), JSON.stringify(content));
}
