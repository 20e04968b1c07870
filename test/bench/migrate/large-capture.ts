import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackage } from "../serve/built-package.ts";

/** Three of five are binary XML, one is text XML, one is .NET's JSON. */
const files = [
  "nbfx-dcs-order.bin",
  "nbfx-dcs-order.bin",
  "nbfx-dcs-order.bin",
  "xml-xs-order.bin",
  "json-dcjs-order.bin",
] as const;

/** Writes a capture of orders with numbers of their own; returns how many there are. */
function writeCapture(path: string, bytes: number): number {
  const folder = new URL("../../../fixtures/legacy/dotnet/", import.meta.url);
  const orders = files.map((file) => {
    const payload = readFileSync(new URL(file, folder));
    return { payload, at: payload.indexOf("P-001") };
  });
  let messages = 0;
  for (let size = 0; size < bytes;) {
    let text = "";
    for (let line = 0; line < 2000; line++, messages++) {
      const { payload, at } = orders[messages % orders.length] ?? { payload: Buffer.alloc(0), at: 0 };
      payload.write(`${messages % 100_000}`.padStart(5, "P"), at);
      const brokerProperties = { messageId: `m-${messages}` };
      const envelope = { payload: { $bytes: payload.toString("base64") }, bodyKind: "data", brokerProperties };
      text += `${JSON.stringify({ ...envelope, applicationProperties: { tenant: "es" } })}\n`;
    }
    appendFileSync(path, text);
    size += text.length;
  }
  return messages;
}

/** Prints the most memory that the process had. */
const reporter = `import { isMainThread } from "node:worker_threads";
if (isMainThread) process.on("exit", () => process.stderr.write("peak " + process.resourceUsage().maxRSS + "\\n"));`;

/** The most resident memory of `sobre migrate` with a capture of 200 MB, in MB. */
export function memoryOfLargeCapture(): number {
  const folder = mkdtempSync(join(tmpdir(), "sobre-bench-"));
  try {
    const capture = join(folder, "capture.ndjson");
    const messages = writeCapture(capture, 200_000_000);
    // As published: the compiler of the sources would take memory, too.
    const command = join(buildPackage(), "cli/main.js");
    const reporting = ["--import", `data:text/javascript,${encodeURIComponent(reporter)}`];
    const migrating = ["migrate", capture, "--to", "json", "--out", join(folder, "new.ndjson"), "--json"];
    const { stdout, stderr } = spawnSync(process.execPath, [...reporting, command, ...migrating], {
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    const report: { readonly messages?: number } = JSON.parse(stdout);
    const [, kilobytes] = /^peak (\d+)$/m.exec(stderr) ?? [];
    if (report.messages !== messages || kilobytes === undefined) throw new Error(`The migration failed: ${stderr}`);
    return (Number(kilobytes) * 1024) / 1e6;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
