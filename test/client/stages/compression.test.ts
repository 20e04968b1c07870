import { randomBytes } from "node:crypto";
import { registerHooks } from "node:module";
import * as zlib from "node:zlib";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { type Compression, compression } from "../../../src/client/stages/index.ts";
import { rejection, refusal } from "../../refusal.support.ts";

const all = ["gzip", "deflate", "br", "zstd"] as const satisfies readonly Compression[];

const compressSync: Readonly<Record<Compression, (payload: Uint8Array) => Uint8Array>> = {
  gzip: (payload) => zlib.gzipSync(payload),
  deflate: (payload) => zlib.deflateSync(payload),
  br: (payload) => zlib.brotliCompressSync(payload),
  zstd: (payload) => zlib.zstdCompressSync(payload),
};

const order = new TextEncoder().encode(
  JSON.stringify({ lines: Array.from({ length: 200 }, (_, id) => ({ id, sku: "x" })) }),
);

function encoded(contentEncoding: string, payload: Uint8Array): Envelope {
  return createEnvelope({ payload, brokerProperties: { contentEncoding, contentType: "application/json" } });
}

async function send(options: Parameters<typeof compression>[0], envelope: Envelope): Promise<Envelope> {
  return (await compression(options).beforeSend?.(envelope)) ?? envelope;
}

async function receive(envelope: Envelope, options: Parameters<typeof compression>[0] = {}): Promise<Envelope> {
  return (await compression(options).afterReceive?.(envelope)) ?? envelope;
}

describe.each(all)("compression with %s", (encoding) => {
  let bomb: Uint8Array;

  beforeAll(() => {
    bomb = compressSync[encoding](new Uint8Array(8 * 1024 * 1024));
  });

  it("round-trips a payload and says so in the content encoding", async () => {
    const original = createEnvelope({
      payload: order,
      brokerProperties: { subject: "s" },
      applicationProperties: { a: 1 },
    });

    const sent = await send({ encoding }, original);
    const received = await receive(sent);

    expect(sent.brokerProperties).toEqual({ subject: "s", contentEncoding: encoding });
    expect(sent.payload.byteLength).toBeLessThan(order.byteLength / 2);
    expect(received).toEqual(original);
    expect(received.applicationProperties).toBe(original.applicationProperties);
  });

  it("round-trips any bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (payload) => {
        const received = await receive(encoded(encoding, compressSync[encoding](payload)));

        expect(received.payload).toEqual(payload);
      }),
      { numRuns: 25 },
    );
  });

  it("reads what another program compressed", async () => {
    const received = await receive(encoded(` ${encoding.toUpperCase()} `, compressSync[encoding](order)));

    expect(received.payload).toEqual(order);
    expect(received.brokerProperties).toEqual({ contentType: "application/json" });
  });

  it("sends a payload that would grow as it is", async () => {
    const envelope = createEnvelope({ payload: new Uint8Array(randomBytes(2048)) });

    expect(await send({ encoding }, envelope)).toBe(envelope);
  });

  it("stops a small bomb at the ratio", async () => {
    const error = await rejection(receive(encoded(encoding, bomb)));

    expect(bomb.byteLength).toBeLessThan(9000);
    expect(error.code).toBe("LimitExceeded");
    expect(error.message).toContain(`maxRatio.${encoding}`);
  });

  it("lets a high ratio pass when it is allowed, or when the output is small", async () => {
    const small = compressSync[encoding](new Uint8Array(1024 * 1024));

    const allowed = await receive(encoded(encoding, bomb), { maxRatio: { [encoding]: Infinity } });

    expect(allowed.payload.byteLength).toBe(8 * 1024 * 1024);
    expect((await receive(encoded(encoding, small))).payload.byteLength).toBe(1024 * 1024);
  });

  it("takes an output of exactly maxOutputBytes and refuses one byte more", async () => {
    const envelope = encoded(encoding, compressSync[encoding](order));

    const error = await rejection(receive(envelope, { maxOutputBytes: order.byteLength - 1 }));

    expect(error.code).toBe("LimitExceeded");
    expect(error.message).toContain("maxOutputBytes");
    expect((await receive(envelope, { maxOutputBytes: order.byteLength })).payload).toEqual(order);
  });

  it("calls every cut payload truncated", async () => {
    const whole = compressSync[encoding](order.subarray(0, 200));

    for (let length = 1; length < whole.byteLength; length++) {
      const error = await rejection(receive(encoded(encoding, whole.subarray(0, length))));

      expect(error.code).toBe("TruncatedPayload");
    }
  });

  it("calls garbage invalid", async () => {
    const garbage = new TextEncoder().encode("this was never compressed by anything");

    const error = await rejection(receive(encoded(encoding, garbage)));

    expect(error.code).toBe("DecodeFailed");
    expect(error.message).not.toContain("never");
  });

  it.each([[[0, 0, 0]], [[1, 2, 3]]])("loses no byte after the data: %j is refused", async (trailing) => {
    const whole = compressSync[encoding](order);

    const error = await rejection(receive(encoded(encoding, Buffer.concat([whole, Uint8Array.from(trailing)]))));

    expect(["TrailingBytes", "DecodeFailed"]).toContain(error.code);
  });

  it("never throws anything but SobreError for mutated data", async () => {
    const whole = compressSync[encoding](order);
    const mutations = fc.tuple(fc.nat(whole.byteLength - 1), fc.integer({ min: 1, max: 255 }));

    await fc.assert(
      fc.asyncProperty(mutations, async ([at, flip]) => {
        const mutated = Uint8Array.from(whole, (byte, index) => (index === at ? byte ^ flip : byte));
        const outcome = await receive(encoded(encoding, mutated)).catch((error: unknown) => error);

        expect(outcome instanceof Error ? outcome.name : "read").toMatch(/^(?:SobreError|read)$/);
      }),
      { numRuns: 50 },
    );
  });
});

describe("the compression stage, sending", () => {
  const envelope = createEnvelope({ payload: order });

  it("leaves everything alone unless an encoding is named", async () => {
    expect(await send({}, envelope)).toBe(envelope);
  });

  it("leaves payloads below the threshold alone", async () => {
    expect(await send({ encoding: "gzip", threshold: order.byteLength + 1 }, envelope)).toBe(envelope);
    expect(await send({ encoding: "gzip", threshold: order.byteLength }, envelope)).not.toBe(envelope);
  });

  it("leaves AMQP values alone", async () => {
    const value = createEnvelope({ payload: order, bodyKind: "value" });

    expect(await send({ encoding: "gzip" }, value)).toBe(value);
  });

  it("compresses nothing twice, whichever property says that it is compressed", async () => {
    const byProperty = createEnvelope({ payload: order, applicationProperties: { "Content-Encoding": "gzip" } });
    const byBroker = encoded("br", order);

    expect(await send({ encoding: "gzip" }, byProperty)).toBe(byProperty);
    expect(await send({ encoding: "gzip" }, byBroker)).toBe(byBroker);
  });
});

describe("the compression stage, receiving", () => {
  it("leaves messages without an encoding, with an identity, and without bytes alone", async () => {
    for (const envelope of [
      createEnvelope({ payload: order }),
      encoded("identity", order),
      encoded("utf-8", order),
      encoded("", order),
      encoded("gzip", new Uint8Array()),
      createEnvelope({ payload: order, bodyKind: "value", brokerProperties: { contentEncoding: "gzip" } }),
      createEnvelope({ payload: order, applicationProperties: { "Content-Encoding": 5 } }),
    ]) {
      expect(await receive(envelope)).toBe(envelope);
    }
  });

  it("reads the application property Content-Encoding, and takes it away with the compression", async () => {
    const envelope = createEnvelope({
      payload: zlib.gzipSync(order),
      applicationProperties: { "Content-Encoding": "gzip", other: 1 },
    });

    const received = await receive(envelope);

    expect(received.payload).toEqual(order);
    expect({ ...received.applicationProperties }).toEqual({ other: 1 });
  });

  it("removes stacked encodings, last first", async () => {
    const payload = zlib.zstdCompressSync(zlib.brotliCompressSync(zlib.gzipSync(order)));

    const received = await receive(encoded("gzip, identity, br , ZSTD", payload));

    expect(received.payload).toEqual(order);
    expect(received.brokerProperties.contentEncoding).toBeUndefined();
  });

  it("refuses more than three encodings", async () => {
    expect((await rejection(receive(encoded("gzip,gzip,gzip,gzip", order)))).code).toBe("LimitExceeded");
  });

  it("stops a bomb inside a bomb at the first cap", async () => {
    const payload = zlib.gzipSync(zlib.gzipSync(new Uint8Array(8 * 1024 * 1024)));

    expect((await rejection(receive(encoded("gzip, gzip", payload)))).code).toBe("LimitExceeded");
  });

  it("reads x-gzip, several gzip members, and deflate without its zlib header", async () => {
    const members = Buffer.concat([zlib.gzipSync(order.subarray(0, 10)), zlib.gzipSync(order.subarray(10))]);

    expect((await receive(encoded("x-gzip", zlib.gzipSync(order)))).payload).toEqual(order);
    expect((await receive(encoded("gzip", members))).payload).toEqual(order);
    expect((await receive(encoded("deflate", zlib.deflateRawSync(order)))).payload).toEqual(order);
  });

  it.each(["lz4", "compress", "gzip, snappy", "constructor", "__proto__", "x-br", "gzip;q=1", ",gzip,x"])(
    "gives the unknown encoding %j its own code",
    async (contentEncoding) => {
      expect((await rejection(receive(encoded(contentEncoding, order)))).code).toBe("UnknownContentEncoding");
    },
  );
});

describe("the options of the compression stage", () => {
  it.each<object>([
    { encoding: "lz4" },
    { encoding: "toString" },
    { threshold: -1 },
    { threshold: Number.NaN },
    { maxOutputBytes: 0 },
    { maxOutputBytes: "many" },
    { threshold: "" },
    { maxRatio: { gzip: 0 } },
    { maxRatio: { lzma: 5 } },
    { maxRatio: { zstd: Number.NaN } },
  ])("refuse %j", (options) => {
    expect(refusal(() => compression(Object.assign({}, options))).code).toBe("InvalidArgument");
  });

  it("take Infinity for no cap", async () => {
    const received = await receive(encoded("gzip", zlib.gzipSync(order)), { maxOutputBytes: Infinity });

    expect(received.payload).toEqual(order);
  });
});

/** The stage as an older Node loads it: its two modules once more, with a zlib that has no zstd. */
async function loadWithoutZstd(): Promise<Pick<typeof import("../../../src/client/stages/index.ts"), "compression">> {
  const mark = "?without-zstd";
  const older = `export { ${Object.keys(zlib)
    .filter((name) => !/zstd|default/i.test(name))
    .join()} } from "node:zlib"`;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (context.parentURL?.endsWith(mark) !== true) return next(specifier, context);
      if (specifier === "node:zlib") return { url: `data:text/javascript,${older}`, shortCircuit: true };
      const found = next(specifier, context);
      return specifier === "./content-encoding.ts" ? { ...found, url: `${found.url}${mark}` } : found;
    },
  });
  try {
    return await import(`${new URL("../../../src/client/stages/compression.ts", import.meta.url).href}${mark}`);
  } finally {
    hooks.deregister();
  }
}

describe("a Node without zstd", () => {
  it("says so, at construction when zstd is to be written, and as unknown encoding when it is received", async () => {
    const stages = await loadWithoutZstd();
    const older = stages.compression();

    const unread = await rejection(Promise.resolve(older.afterReceive?.(encoded("zstd", order))));
    const unwritten = refusal(() => stages.compression({ encoding: "zstd" }));
    const gzip = await older.afterReceive?.(encoded("gzip", zlib.gzipSync(order)));

    expect(unread).toMatchObject({ code: "UnknownContentEncoding" });
    expect(unread.message).toContain("22.15");
    expect(unwritten).toMatchObject({ code: "InvalidArgument" });
    expect(gzip?.payload).toEqual(order);
  });
});
