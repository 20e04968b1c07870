import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { legacy } from "../../codecs/legacy/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { deliveryFromJson, deliveryToJson, type Engine } from "../../src/core/engine/index.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import {
  createCaptureSource,
  createQuarantine,
  createQueueSource,
  migrate,
  type MigrationSource,
} from "../../src/migration/index.ts";
import { folder } from "./samples.support.ts";

const unreadable = Uint8Array.of(0xac, 0xed, 0, 5);

async function queue(): Promise<Engine> {
  const engine = memoryEngine({ queues: ["orders"], firstSequenceNumber: 2n ** 53n });
  const payloads = [new TextEncoder().encode('{"id":1}'), unreadable];
  await (await engine.openSender("orders")).send(payloads.map((payload) => createEnvelope({ payload })));
  return engine;
}

async function captureOf(engine: Engine): Promise<string> {
  const file = join(folder(), "orders.ndjson");
  const deliveries = await engine.peek("orders", { maxMessages: 9 });
  writeFileSync(file, deliveries.map((delivery) => `${JSON.stringify(deliveryToJson(delivery))}\n`).join(""));
  return file;
}

const sources: Readonly<Record<string, (engine: Engine) => Promise<MigrationSource>>> = {
  "a capture": async (engine) => createCaptureSource(await captureOf(engine)),
  "a queue": async (engine) => createQueueSource(engine, "orders"),
};

it.each(Object.keys(sources))("keeps the sequence numbers of %s in the journal and in the quarantine", async (name) => {
  const engine = await queue();
  const seen = await engine.peek("orders", { maxMessages: 9 });
  const source = await sources[name]?.(engine);
  if (source === undefined) throw new Error(name);
  const [output, place] = [join(folder(), "out.ndjson"), folder()];
  const options = {
    source,
    serializer: createSerializer({ codecs: [json(), ...legacy()], whenUnknown: "fallback", fallback: ["java"] }),
    output,
    target: { format: "json" },
    quarantine: createQuarantine(place),
  } as const;

  await migrate(options);

  const lines = readFileSync(`${output}.journal`, "utf8").trimEnd().split("\n").slice(1);
  expect(lines.map((line) => /"sequenceNumber":"(\d+)"/.exec(line)?.[1])).toEqual(
    seen.map(({ sequenceNumber }) => String(sequenceNumber)),
  );
  const kept = readdirSync(place).map((file) => deliveryFromJson(JSON.parse(readFileSync(join(place, file), "utf8"))));
  expect(kept.map(({ sequenceNumber }) => sequenceNumber)).toContain(seen[1]?.sequenceNumber);
  expect(kept.at(-1)?.enqueuedTimeUtc).toEqual(seen[1]?.enqueuedTimeUtc);
  const { report } = await migrate({ ...options, resume: true });
  expect(report.outcomes.resumed).toBe(2);
});
