import { globSync, readFileSync } from "node:fs";
import { configDefaults, type ViteUserConfig } from "vitest/config";
import shared from "../../vitest.config.ts";

// These load the sources by way of vite, which shows the places in failures of long scenarios.
const { experimental: _, execArgv: __, include: ___, exclude: ____, ...forAll } = shared.test ?? {};

/** Tests that measure memory, each in a process of its own: objects take more of it where other tests have made many. */
const measured = globSync("test/external/*.test.ts").filter((file) => /\bused\(\)/.test(readFileSync(file, "utf8")));

/** Names of files that `main.ts` leaves out. */
const excluded = (process.env["EXCLUDED_TESTS"] ?? "").split(" ").map((name) => `test/external/${name}`);

const tests = {
  ...forAll,
  // Peers of other languages take their time on a busy machine.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

const others = {
  include: ["test/external/**/*.test.ts"],
  exclude: [...configDefaults.exclude, ...measured, ...excluded],
};

const config: ViteUserConfig = {
  ...shared,
  test: {
    ...tests,
    projects: [
      { ...shared, test: { ...tests, ...others, name: "servers" } },
      { ...shared, test: { ...tests, include: measured, exclude: excluded, name: "memory", isolate: true } },
    ],
  },
};

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from there
export default config;
