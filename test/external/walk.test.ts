import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const walk = fileURLToPath(new URL("../architecture/walk.ts", import.meta.url));

it("takes a message of the official client through the server with at most 40 % of the folder crossings before the moves, 288", () => {
  const { stdout, stderr } = spawnSync(process.execPath, [walk], { encoding: "utf8" });
  const [, crossings] = /, (\d+) folder crossings per message/.exec(stdout) ?? [];

  expect(Number(crossings), `${stdout}${stderr}`).toBeGreaterThan(10);
  expect(Number(crossings), stdout).toBeLessThanOrEqual(0.4 * 288);
});
