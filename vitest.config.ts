import { defineConfig, type ViteUserConfig } from "vitest/config";

// The type tests (test/types) are checked by `npm run check:types`, with everything else.
const config: ViteUserConfig = defineConfig({
  resolve: { conditions: ["sobre-source"] },
  ssr: { resolve: { conditions: ["sobre-source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    // No test changes what another sees, and loading the sources once saves a third of the time.
    isolate: false,
    // The default leaves a core to a watcher, and takes twice as long on two.
    maxWorkers: "100%",
    // A hang is no longer than this; a busy machine may be slow.
    testTimeout: 30_000,
  },
});

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from there
export default config;
