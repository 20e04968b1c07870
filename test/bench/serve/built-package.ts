import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Builds the package as it is published, apart from `package`, which others may be using; gives the folder. */
export function buildPackage(): string {
  // Next to the dependencies, so that they are found.
  const folder = "node_modules/.cache/sobre-bench";
  spawnSync(process.execPath, ["scripts/build.ts", folder], { cwd: root, stdio: "inherit" });
  return `${root}${folder}/dist`;
}
