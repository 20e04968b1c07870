import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MsgpackExtension } from "../../../src/core/values/msgpack-extension.ts";
import { sameValue } from "../../../src/broker/conformance/index.ts";
import { Instant } from "../../../src/core/values/instant.ts";
import { valueFromJson } from "../../../src/core/values/value-json-reading.ts";
import { needsVectors, vectors } from "../../vectors.support.ts";
import { decode, encode, hex } from "./calls.support.ts";

type Entry = Readonly<Record<string, unknown>> & { readonly msgpack: readonly string[] };

const bytes = (text: unknown): Uint8Array => hex(String(text));

/** The value of an entry of the suite in our terms; `bignum` goes before `number`, which may have lost digits. */
function meaning(entry: Entry): unknown {
  if ("binary" in entry) return bytes(entry["binary"]);
  if ("bignum" in entry) return integer(BigInt(String(entry["bignum"])));
  if ("timestamp" in entry) return time(entry["timestamp"]);
  if ("ext" in entry) {
    const [type, data] = Array.isArray(entry["ext"]) ? entry["ext"] : [];
    return new MsgpackExtension(Number(type), bytes(data));
  }
  return Object.entries(entry).find(([name]) => name !== "msgpack")?.[1];
}

function integer(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function time(parts: unknown): Date | Instant {
  const [seconds, nanoseconds] = Array.isArray(parts) ? parts.map(Number) : [];
  const whole = BigInt(seconds ?? 0) * 1_000_000_000n + BigInt(nanoseconds ?? 0);
  return whole % 1_000_000n === 0n ? new Date(Number(whole / 1_000_000n)) : new Instant(whole);
}

const read = (): [string, Entry][] => {
  const file = join(vectors, "suites/msgpack-test-suite/msgpack-test-suite.json");
  const groups: Readonly<Record<string, readonly Entry[]>> = JSON.parse(readFileSync(file, "utf8"));
  return Object.values(groups).flatMap((entries) =>
    entries.flatMap((entry) => entry.msgpack.map((form): [string, Entry] => [form, entry])),
  );
};

describe("msgpack-test-suite", needsVectors("suites/msgpack-test-suite"), () => {
  it("has all 233 forms read faithfully, none refused", () => {
    const forms = read();

    const wrong = forms.filter(([form, entry]) => !sameValue(decode(hex(form)), meaning(entry)));

    expect(wrong).toEqual([]);
    expect(forms).toHaveLength(233);
  });

  it("reads back every value that it writes", () => {
    const wrong = read().filter(([, entry]) => !sameValue(decode(encode(meaning(entry))), meaning(entry)));

    expect(wrong).toEqual([]);
  });
});

describe("payloads of another implementation (fixtures/codecs/msgpack.json)", () => {
  const golden: { payloads: readonly { name: string; hex: string; body: unknown }[] } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../fixtures/codecs/msgpack.json"), "utf8"),
  );

  it.each(golden.payloads)("reads $name", (payload) => {
    expect(decode(hex(payload.hex))).toEqual(valueFromJson(payload.body));
  });

  it.each(golden.payloads)("writes $name in the same bytes", (payload) => {
    expect(encode(valueFromJson(payload.body))).toEqual(hex(payload.hex));
  });
});
