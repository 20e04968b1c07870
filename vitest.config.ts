import { tmpdir } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";

// The type tests (test/types) are checked by `npm run check:types`, with everything else.
const config: ViteUserConfig = defineConfig({
  resolve: { conditions: ["sobre-source"] },
  ssr: { resolve: { conditions: ["sobre-source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    // Real servers, clients and processes: `npm run test:external`.
    exclude: [...configDefaults.exclude, "test/external/**"],
    // Node loads the sources itself, as it does everywhere else: rewritten imports cost a quarter of the time. Nothing is mocked
    // by the loader, which would parse every test file for it.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ["--conditions=sobre-source"],
    // No test changes what another sees, and loading the sources once saves a third of the time.
    isolate: false,
    // Tests that share a process, and what modules keep in it, must pass in any order; a failed run prints its seed.
    sequence: { shuffle: { tests: true } },
    // The default leaves a core to a watcher, and takes twice as long on two.
    maxWorkers: "100%",
    // They wait for pauses after refusals, not for a core.
    maxConcurrency: 40,
    // A hang is no longer than this; a busy machine may be slow.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The processes that tests start compile the sources once.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "sobre-compile-cache") },
  },
});

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from there
export default config;
