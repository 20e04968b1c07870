import { tmpdir } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";

// The type tests (test/types) are checked by `npm run check:types`, with everything else.
/** Tests that load modules anew, with others in the place of Node's own: only vitest's loader can do that. */
const reloading = [
  "test/content-type/utf8.test.ts",
  "test/errors/sobre-error.test.ts",
  "test/stages/compression.test.ts",
  "test/values/base64.test.ts",
];

const config: ViteUserConfig = defineConfig({
  resolve: { conditions: ["sobre-source"] },
  ssr: { resolve: { conditions: ["sobre-source"] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "sources",
          include: ["test/**/*.test.ts"],
          // Real servers, clients and processes: `npm run test:servers`.
          exclude: [...configDefaults.exclude, "test/servers/**", ...reloading],
          // Node loads the sources itself, as it does everywhere else: rewritten imports cost a quarter of the time.
          experimental: { viteModuleRunner: false },
          execArgv: ["--conditions=sobre-source"],
        },
      },
      // One process for a few files: another would load the sources once more.
      // Projects with other numbers of workers need an order.
      {
        extends: true,
        test: {
          name: "reloading",
          include: reloading,
          fileParallelism: false,
          sequence: { groupOrder: 1, shuffle: { tests: true } },
        },
      },
    ],
    // No test changes what another sees, and loading the sources once saves a third of the time.
    isolate: false,
    // Tests that share a process, and what modules keep in it, must pass in any order; a failed run prints its seed.
    sequence: { shuffle: { tests: true } },
    // The default leaves a core to a watcher, and takes twice as long on two.
    maxWorkers: "100%",
    // A hang is no longer than this; a busy machine may be slow.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The processes that tests start compile the sources once.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "sobre-compile-cache") },
  },
});

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from there
export default config;
