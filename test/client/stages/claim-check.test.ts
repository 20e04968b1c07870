import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { claimCheck, filePayloadStore } from "../../../src/client/stages/index.ts";
import { refusal, rejection } from "../../refusal.support.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sobre-claim-"));
});
afterAll(() => rm(folder, { recursive: true }));

const envelope = (bytes: number): Envelope =>
  createEnvelope({
    payload: new Uint8Array(bytes).fill(7),
    brokerProperties: { contentType: "application/json" },
  });
const claimed = (payload: string | Uint8Array): Envelope =>
  createEnvelope({
    payload: typeof payload === "string" ? new TextEncoder().encode(payload) : payload,
    brokerProperties: { contentEncoding: "claim-check" },
  });

describe("a claim check", () => {
  it("keeps payloads above the threshold in the store, and brings them back", async () => {
    const stage = claimCheck({ store: filePayloadStore({ folder }), threshold: 100 });

    const small = await stage.beforeSend?.(envelope(100));
    const large = await stage.beforeSend?.(envelope(101));
    if (large === undefined) throw new Error("It sends.");

    expect(small).toEqual(envelope(100));
    expect(large.brokerProperties.contentEncoding).toBe("claim-check");
    expect(await stage.afterReceive?.(large)).toEqual(envelope(101));
    expect(await stage.afterReceive?.(envelope(5))).toEqual(envelope(5));
  });

  it.each([undefined, 5, "", "k".repeat(1_025), "\u0001".repeat(1_000)])(
    "is not sent with a key that nobody could ask with: %j",
    async (key) => {
      const store = { put: () => Promise.resolve(key), get: () => Promise.resolve(undefined) };
      const stage = Reflect.apply(claimCheck, undefined, [{ store, threshold: 1 }]);

      const error = await rejection(Promise.resolve(stage.beforeSend?.(envelope(10))));

      expect(error).toMatchObject({ code: "InvalidArgument", path: "$.store" });
    },
  );

  it.each([Number.NaN, undefined, -1, "1"])("deletes nothing that is older than %o", async (age) => {
    const store = filePayloadStore({ folder });
    const key = await store.put(new Uint8Array([1]));

    const error = await rejection(Reflect.apply(Reflect.get(store, "removeOlderThan"), store, [age]));

    expect(error).toMatchObject({ code: "InvalidArgument", path: "$.age" });
    expect(await store.get(key, 10)).toEqual(new Uint8Array([1]));
  });

  it("is refused by name where its stage is missing, rather than read as something else", async () => {
    const large = await claimCheck({ store: filePayloadStore({ folder }), threshold: 1 }).beforeSend?.(envelope(10));
    if (large === undefined) throw new Error("It sends.");

    const result = createSerializer({ codecs: [json()] }).deserialize(large);

    expect(result).toMatchObject({ ok: false, error: { code: "UnknownContentEncoding" } });
  });

  it.each<readonly [string, string | Uint8Array, string]>([
    ["no JSON", "{", "DecodeFailed"],
    ["no text", new Uint8Array([0xff]), "DecodeFailed"],
    ["no claim", '{"key":5}', "DecodeFailed"],
    ["endless", " ".repeat(5_000), "DecodeFailed"],
    ["a key outside", '{"key":"../../etc/passwd","size":1,"sha256":"","bodyKind":"data"}', "PayloadNotFound"],
    ["a key of nothing", `{"key":"${crypto.randomUUID()}","size":1,"sha256":"","bodyKind":"data"}`, "PayloadNotFound"],
    ["too large", '{"key":"a","size":2000,"sha256":"","bodyKind":"data"}', "LimitExceeded"],
  ])("refuses a claim that is %s", async (_what, payload, code) => {
    const stage = claimCheck({ store: filePayloadStore({ folder }), maxBytes: 1_000 });

    const error = await rejection(Promise.resolve(stage.afterReceive?.(claimed(payload))));

    expect(error.code).toBe(code);
  });

  it("refuses a payload that is not the stored one, and one that has grown beyond the limit", async () => {
    const store = filePayloadStore({ folder });
    const stage = claimCheck({ store, threshold: 1, maxBytes: 50 });
    const sent = await stage.beforeSend?.(envelope(10));
    if (sent === undefined) throw new Error("It sends.");
    const { key }: { key: string } = JSON.parse(new TextDecoder().decode(sent.payload));

    await writeFile(join(folder, key), new Uint8Array(10));
    const changed = await rejection(Promise.resolve(stage.afterReceive?.(sent)));
    await writeFile(join(folder, key), new Uint8Array(51));
    const grown = await rejection(Promise.resolve(stage.afterReceive?.(sent)));

    expect([changed.code, grown.code]).toEqual(["DecodeFailed", "LimitExceeded"]);
  });

  it.each<readonly [string, object]>([
    ["store", {}],
    ["threshold", { store: filePayloadStore({ folder: "x" }), threshold: Number.NaN }],
    ["maxBytes", { store: filePayloadStore({ folder: "x" }), maxBytes: 0 }],
  ])("refuses a wrong %s and names it", (option, options) => {
    expect(refusal(() => Reflect.apply(claimCheck, undefined, [options])).path).toBe(`$.${option}`);
  });
});

describe("the file store", () => {
  it("removes older payloads, and nothing that is not its own", async () => {
    const own = await mkdtemp(join(folder, "age-"));
    const now = Date.now();
    const later = { now: () => now + 60_000, setTimer: () => ({ cancel: () => undefined }) };
    await filePayloadStore({ folder: own }).put(new Uint8Array(1));
    await writeFile(join(own, "README"), "mine");

    const young = await filePayloadStore({ folder: own, clock: later }).removeOlderThan(120_000);
    const old = await filePayloadStore({ folder: own, clock: later }).removeOlderThan(1_000);

    expect([young, old]).toEqual([0, 1]);
    expect(await readdir(own)).toEqual(["README"]);
    expect(await filePayloadStore({ folder: join(own, "none") }).removeOlderThan(0)).toBe(0);
  });

  it("refuses a folder without a name", () => {
    expect(refusal(() => filePayloadStore({ folder: "" })).path).toBe("$.folder");
  });
});
