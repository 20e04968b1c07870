import { spawnSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Builds the package as it is published, apart from `dist`, which others may be using; gives the folder. */
export function buildPackage(): string {
  // Beside the dependencies, so that they are found.
  const folder = `${root}node_modules/.cache/sobre-bench`;
  rmSync(folder, { recursive: true, force: true });
  spawnSync(`${root}node_modules/.bin/tsc`, ["-p", "tsconfig.build.json", "--outDir", `${folder}/dist`], { cwd: root });
  spawnSync(process.execPath, ["scripts/bundle-command.ts", `${folder}/dist`], { cwd: root });
  copyFileSync(`${root}package.json`, `${folder}/package.json`);
  return `${folder}/dist`;
}
