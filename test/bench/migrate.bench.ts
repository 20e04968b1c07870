import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nbfx } from "../../codecs/dotnet/index.ts";
import { json } from "../../codecs/json/index.ts";
import { legacy } from "../../codecs/legacy/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { createSerializer, defaultDecodeLimits } from "../../src/core/codec/index.ts";
import { createEnvelope, type Envelope } from "../../src/core/envelope/index.ts";
import { migrate, type MigrationSource, type SourceMessage, type TargetFormat } from "../../src/migration/index.ts";
import { settleShape } from "../../src/migration/infer/settled-shape.ts";
import { createTarget } from "../../src/migration/target/target.ts";
import { TypeProfiles } from "../../src/migration/infer/type-profile.ts";
import { guessingOf } from "../../src/migration/infer/value-kind.ts";
import { type Figure, median } from "./harness.ts";
import { memoryOfLargeCapture } from "./migrate/large-capture.ts";

const messages = 4_000;
const rounds = 9;

const payload = new Uint8Array(
  readFileSync(new URL("../../fixtures/legacy/dotnet/nbfx-dcs-order.bin", import.meta.url)),
);

/** Orders in .NET's binary XML, each its own envelope. */
const source: MigrationSource = {
  name: "orders",
  size: messages,
  async *messages(): AsyncGenerator<SourceMessage> {
    for (let index = 0; index < messages; index++) {
      const envelope = envelopeAt(index);
      yield { id: `orders#${index}`, order: BigInt(index), done: index + 1, content: { ok: true, envelope } };
    }
  },
};

function envelopeAt(index: number): Envelope {
  return createEnvelope({
    payload,
    brokerProperties: { messageId: `m-${index}` },
    applicationProperties: { tenant: "es" },
  });
}

const context = {
  contentType: undefined,
  applicationProperties: {},
  bodyKind: "data",
  limits: defaultDecodeLimits,
} as const;
const readers = legacy();
const serializer = createSerializer({
  codecs: [json(), msgpack(), ...readers],
  fallback: ["json", ...readers, "msgpack"],
  whenUnknown: "fallback",
});

/** `sobre migrate` compared with its bare steps: reading, encoding, decoding again, comparing. */
export async function bench(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const format of ["json", "msgpack", "protobuf"] as const) figures.push(await ratioOf(format));
  figures.push({
    name: "migrate a capture of 200 MB, peak memory",
    measured: memoryOfLargeCapture(),
    bound: "most",
    target: 300,
    floor: 330,
    unit: " MB",
  });
  return figures;
}

async function ratioOf(format: TargetFormat): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "sobre-bench-"));
  const bare = bareSteps(format);
  const ratios: number[] = [];
  try {
    for (let round = -2; round < rounds; round++) {
      const whole = await timed(() =>
        migrate({ source, serializer, target: { format }, output: join(folder, `${round}.ndjson`) }),
      );
      const steps = await timed(bare);
      // The first rounds are for the optimiser.
      if (round >= 0) ratios.push(whole / steps);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return {
    name: `migrate ${messages} orders to ${format} / its bare steps`,
    measured: median(ratios),
    bound: "most",
    target: 3,
    floor: 3.5,
    unit: "×",
  };
}

function bareSteps(format: TargetFormat): () => Promise<void> {
  const reader = nbfx();
  const profiles = new TypeProfiles();
  const typeName = "Order";
  const { body: sample } = { body: undefined, ...reader.decode(payload, context) };
  profiles.note({ typeName, codec: reader.name, body: sample, guessing: guessingOf(reader.name), literal: false });
  const [profile] = profiles.all();
  if (profile === undefined) throw new Error("no type was found");
  const type = createTarget({ format }).forType(typeName, settleShape(profile.root));
  return () => {
    for (let index = 0; index < messages; index++) {
      const decoded = reader.decode(payload, context);
      const body = "body" in decoded ? decoded.body : undefined;
      const lost = type.compare(body, type.decode(type.encode(body)));
      if (lost.length > 0) throw new Error("something was lost");
    }
    return Promise.resolve();
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start);
}
