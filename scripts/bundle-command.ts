import { build } from "esbuild";

/**
 * Joins the modules of the built command into a few files, since finding hundreds of them is most of the time to start.
 *
 * `node scripts/bundle-command.ts [DIST]`; what the command loads later stays in files of its own, beside it.
 */
const dist = process.argv[2] ?? "dist";
await build({
  entryPoints: [
    { in: `${dist}/src/cli/main.js`, out: "main" },
    // A thread of its own, which is looked for beside the module that starts it.
    { in: `${dist}/src/contract/json-schema/comparison-worker.js`, out: "bundle/comparison-worker" },
  ],
  outdir: `${dist}/src/cli`,
  chunkNames: "bundle/[name]-[hash]",
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  packages: "external",
  logLevel: "warning",
});
