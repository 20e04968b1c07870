import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  resolve: { conditions: ["sobre-source"] },
  ssr: { resolve: { conditions: ["sobre-source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    // No test changes what another sees, and loading the sources once saves a third of the time.
    isolate: false,
    typecheck: {
      enabled: true,
      include: ["test/types/**/*.test-d.ts"],
      tsconfig: "tsconfig.json",
      ignoreSourceErrors: true,
    },
  },
});

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from there
export default config;
