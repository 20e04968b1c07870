import { fileURLToPath } from "node:url";

/** The files of the page. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
}

/** Bundles the page from its sources; the build puts the result in the place of this module. */
export async function pageFiles(): Promise<PageFiles> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: ["main.tsx", "page.css"].map((name) => fileURLToPath(new URL(`page/${name}`, import.meta.url))),
    outdir: ".",
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    tsconfigRaw: {},
    logLevel: "silent",
  });
  const textOf = (extension: string): string => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? "";
  return { script: textOf(".js"), style: textOf(".css") };
}
