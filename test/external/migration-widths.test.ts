import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/cli/display.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import type { MigrationReport } from "../../src/migration/index.ts";
import { sobreIn } from "../cli/calls.support.ts";
import { bury, put, queuePlaces } from "../cli/queue/queue-place.support.ts";

const place = queuePlaces();
const dead = "orders/$DeadLetterQueue";
const legacy = fileURLToPath(new URL("../../fixtures/legacy", import.meta.url));
const bytes = (name: string): Uint8Array => new Uint8Array(readFileSync(join(legacy, name)));

/** Messages of every outcome, with long and wide names. */
const messages: readonly Envelope[] = [
  ["order", bytes("dotnet/nbfx-dcs-order.bin")],
  ["xml", bytes("dotnet/xml-xs-order.bin")],
  ["longs", bytes("dotnet/nbfx-dcs-long-array.bin")],
  ["json", Buffer.from('{"id":1,"überlangerMitgliedsname注文番号注文番号注文番号":"x"}')],
  [`cut-${"x".repeat(100)}`, bytes("dotnet/nbfx-dcs-order.bin").subarray(0, 200)],
  ["noise", Uint8Array.of(0xc1, 0xff, 0xff)],
  ["empty", new Uint8Array(0)],
].map(([messageId, payload]) =>
  createEnvelope({
    payload: payload instanceof Uint8Array ? new Uint8Array(payload) : new Uint8Array(0),
    brokerProperties: { messageId: String(messageId) },
  }),
);

const squeezed = (text: string): string => text.replaceAll(/\s/g, "");

describe.each([40, 80, 200])("at %i columns, the commands of a migration", (columns) => {
  it("print lines that fit, and cut nothing", async () => {
    const at = place();
    const path = (name: string): string => at.path(`${columns}-${name}`);
    const printed: string[] = [];
    const run = async (...args: readonly string[]): Promise<string> => {
      const isOfQueue = !args.includes("migrate");
      const connection = isOfQueue ? ["--connection-string", at.connectionString] : [];
      const { terminal } = await sobreIn(columns, ...args, ...connection);
      printed.push(terminal.text());
      return terminal.text();
    };
    for (const envelope of messages) {
      await put(at.engine, "orders", envelope);
      await bury(at.engine, "orders", "Bad");
    }
    const [capture, output, quarantine] = [path("old.ndjson"), path("new.ndjson"), path("unread")];
    const json = path("report.json");

    await run("capture", dead, capture);
    const dry = await run("migrate", capture, "--int64", "number", "--report", json, "--quarantine", quarantine);
    await run("migrate", capture, "--to", "protobuf");
    await run("migrate", capture, "--out", output, "--quarantine", quarantine);
    await run("migrate", capture, "--out", output, "--quarantine", quarantine, "--resume");
    await run("send", "orders", output, "--dry-run");
    await run("send", "orders", output);
    await run("send", "orders", output);
    await run("dlq", "complete", "orders", "--journal", `${output}.journal`, "--dry-run");
    await run("dlq", "complete", "orders", "--journal", `${output}.journal`, "--leave-lossy");
    await run("dlq", "complete", "orders", "--journal", `${output}.journal`, "--quarantine", quarantine);

    const lines = printed.join("").split("\n");
    expect(lines.filter((line) => displayWidth(line) > columns)).toEqual([]);
    expect(lines.filter((line) => line.includes("…"))).toEqual([]);
    const report: MigrationReport = JSON.parse(readFileSync(json, "utf8"));
    const facts = [
      ...report.formats.map(({ format }) => format),
      ...report.ambiguities.flatMap(({ text, path: where }) => [text, where]),
      ...report.losses.flatMap(({ text, path: where }) => [text, where]),
      ...report.failures.flatMap(({ code, messages: failed }) => [
        code,
        ...failed.flatMap(({ id, messageId = "", sequenceNumber, message, file = "" }) => [
          id,
          messageId,
          `#${sequenceNumber}`,
          message,
          file,
        ]),
      ]),
    ];
    expect(report.failures.flatMap(({ messages: failed }) => failed)).toHaveLength(2);
    expect(facts.filter((fact) => !squeezed(dry).includes(squeezed(fact)))).toEqual([]);
    rmSync(quarantine, { recursive: true });
  });
});
