import { configDefaults, type ViteUserConfig } from "vitest/config";
import shared from "../../vitest.config.ts";

// These load the sources by way of vite, which shows the places in failures of long scenarios.
const { experimental: _, execArgv: __, ...forAll } = shared.test ?? {};

const config: ViteUserConfig = {
  ...shared,
  test: {
    ...forAll,
    include: ["test/servers/**/*.test.ts"],
    exclude: configDefaults.exclude,
    // Peers of other languages take their time on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
};

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from there
export default config;
