import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEnvelope, envelopeToJson } from "../../src/core/envelope/index.ts";
import {
  createCaptureSource,
  createQuarantine,
  migrate,
  type Migration,
  type MigrationOptions,
  type MigrationSource,
} from "../../src/migration/index.ts";
import { folder, payloadOf, shapeOf } from "../migration/samples.support.ts";
import { reading } from "../migration/thread-reading.support.ts";

const scratch = folder();
const { serializer } = reading();
const module = new URL("../migration/thread-reading.support.ts", import.meta.url);

const payloads: readonly Uint8Array[] = [
  payloadOf("nbfx-dcs-order.bin"),
  payloadOf("xml-dcs-nullables-set.bin"),
  payloadOf("json-dcjs-arrays.bin"),
  shapeOf("DataSet", "nrbf"),
  new TextEncoder().encode('{"a":1,"b":"x"}'),
  new TextEncoder().encode("{broken"),
];

/** A file of captures that counts as large: of several types and formats, with lines that hold none. */
function captured(name: string, count: number): MigrationSource {
  const lines = Array.from({ length: count }, (_, index) => {
    if (index % 97 === 5) return "{no message";
    const payload = payloads[index % payloads.length] ?? new Uint8Array();
    const envelope = createEnvelope({
      payload,
      brokerProperties: { messageId: `m-${index}`, subject: `s${index % 3}` },
    });
    return JSON.stringify(envelopeToJson(envelope));
  });
  const path = join(scratch, `${name}.ndjson`);
  writeFileSync(path, `${lines.join("\n\n")}\n`);
  return { ...createCaptureSource(path), size: 100_000_000 };
}

interface Outcome {
  readonly report: unknown;
  readonly schemas: unknown;
  readonly output: string;
  readonly journal: string;
}

async function outcomeOf(
  source: MigrationSource,
  name: string,
  options: Partial<MigrationOptions> = {},
): Promise<Outcome> {
  const output = join(scratch, `${name}.out`);
  const { report, schemaFiles }: Migration = await migrate({
    source,
    serializer,
    target: { format: "json" },
    output,
    ...options,
  });
  return {
    report: { ...report, seconds: 0, output: "" },
    schemas: schemaFiles(),
    output: readFileSync(output, "utf8"),
    journal: readFileSync(`${output}.journal`, "utf8"),
  };
}

describe("threads of a migration", () => {
  it("give what one thread gives, byte for byte and in the same order, however many they are", async () => {
    const source = captured("equal", 700);

    const alone = await outcomeOf(source, "alone");
    const two = await outcomeOf(source, "two", { threads: { module, count: 2 } });

    expect(two).toEqual(alone);
  });

  it("continue an interrupted migration, wherever it began", async () => {
    const source = captured("resumed", 800);
    const whole = await outcomeOf(source, "whole");
    await outcomeOf(source, "cut");
    truncateSync(join(scratch, "cut.out"), Math.floor(whole.output.length / 3));

    const resumed = await outcomeOf(source, "cut", { resume: true, threads: { module, count: 1 } });

    expect(resumed.output).toBe(whole.output);
    expect(resumed.journal).toBe(whole.journal);
  });

  it("keep failed messages in the quarantine, with what they were", async () => {
    const source = captured("kept", 300);
    const [here, there] = [join(scratch, "here"), join(scratch, "there")];

    await outcomeOf(source, "kept-alone", { quarantine: createQuarantine(here) });
    await outcomeOf(source, "kept-threads", { quarantine: createQuarantine(there), threads: { module, count: 1 } });

    expect(readdirSync(here).length).toBeGreaterThan(40);
    expect(readdirSync(there)).toEqual(readdirSync(here));
    for (const name of readdirSync(here))
      expect(readFileSync(join(there, name), "utf8")).toBe(readFileSync(join(here, name), "utf8"));
  });

  it("look at the first messages alone, and report each in its order", async () => {
    const source = captured("sampled", 500);
    const told: number[] = [];

    const { report } = await migrate({
      source,
      serializer,
      target: { format: "json" },
      sample: 100,
      threads: { module, count: 2 },
      onProgress: ({ messages }) => told.push(messages),
    });

    expect(report.messages).toBe(100);
    expect(told).toEqual([...numbersTo(100), ...numbersTo(100)]);
  });

  it("end the migration when one of them fails, and leave what can be continued", async () => {
    const source = captured("broken", 500);
    const threads = { module, data: { fails: true }, count: 1 };

    await expect(migrate({ source, serializer, target: { format: "json" }, threads })).rejects.toThrow("breaks");
    await expect(
      migrate({
        source,
        serializer,
        target: { format: "json" },
        threads: { module: new URL("file:///none.ts"), count: 1 },
      }),
    ).rejects.toThrow("none.ts");
  });

  it("are not started for a small file, or a source that has no file", async () => {
    const { size: _, ...source } = captured("small", 5);
    const threads = { module: new URL("file:///none.ts") };

    const { report } = await migrate({
      source: { ...source, size: 10 },
      serializer,
      target: { format: "json" },
      threads,
    });

    expect(report.messages).toBe(5);
  });
});

function numbersTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
