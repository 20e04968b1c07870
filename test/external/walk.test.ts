import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it.each([
  { script: "walk.ts", journey: "served", calls: 1000, crossings: 198 },
  { script: "walk-in-process.ts", journey: "in process", calls: 513, crossings: 103 },
  { script: "walk-in-process.ts", journey: "dead letter", calls: 620, crossings: 140 },
])(
  "takes a message ($journey) through the house with at most $crossings folder crossings and $calls calls",
  ({ script, journey, calls, crossings }) => {
    const path = fileURLToPath(new URL(`../architecture/${script}`, import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, [path], { encoding: "utf8" });
    const line = new RegExp(`${journey}: (\\d+) calls, \\d+ files, (\\d+) folder crossings`).exec(stdout);
    const walked = { calls: Number(line?.[1]), crossings: Number(line?.[2]) };

    expect(walked.crossings, `${stdout}${stderr}`).toBeGreaterThan(10);
    expect(walked.crossings, stdout).toBeLessThanOrEqual(crossings);
    expect(walked.calls, stdout).toBeLessThanOrEqual(calls);
  },
);
