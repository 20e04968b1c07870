import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";

/** The official client's conversions between its messages and those of rhea. */
export interface OfficialConversions {
  readonly toRheaMessage: (message: object, encoder: unknown) => object;
  readonly fromRheaMessage: (message: object, options: object) => object;
  readonly defaultDataTransformer: unknown;
  /** Converts a message that rhea has decoded, with its delivery, as the receivers do. */
  readonly ServiceBusMessageImpl: new (
    message: object,
    delivery: { readonly tag: Uint8Array },
    shouldReorderLockToken: boolean,
    receiveMode: string,
    skipParsingBodyAsJson: boolean,
    skipConvertingDate: boolean,
  ) => object;
}

/** The official client's own conversions; they are internal to it, so that they are bundled from its sources. */
export async function officialConversions(): Promise<OfficialConversions> {
  const require = createRequire(import.meta.url);
  const source = join(dirname(require.resolve("@azure/service-bus/package.json")), "dist-esm", "src");
  const folder = mkdtempSync(join(tmpdir(), "sobre-bench-"));
  const outfile = join(folder, "conversions.cjs");
  try {
    await build({
      stdin: {
        contents: `export { toRheaMessage, fromRheaMessage, ServiceBusMessageImpl } from ${JSON.stringify(join(source, "serviceBusMessage.js"))};
          export { defaultDataTransformer } from ${JSON.stringify(join(source, "dataTransformer.js"))};`,
        resolveDir: import.meta.dirname,
      },
      bundle: true,
      platform: "node",
      format: "cjs",
      outfile,
      logLevel: "error",
    });
    const loaded: OfficialConversions = require(outfile);
    return loaded;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
