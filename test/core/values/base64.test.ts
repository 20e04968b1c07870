import { afterEach, describe, expect, it, vi } from "vitest";
import * as portable from "../../../src/core/values/base64.ts";
import * as node from "../../../src/core/values/base64-node.ts";

/** The bytes of a text, or that it is refused. */
function outcome(read: (text: string) => Uint8Array, text: string): string {
  try {
    return read(text).join();
  } catch (error) {
    return error instanceof DOMException ? "refused" : "failed otherwise";
  }
}

describe("base64 by Node's means", () => {
  it("gives the bytes of the platform's own means, whatever their number", () => {
    for (let length = 0; length < 70; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + length) & 0xff);

      expect(node.fromBase64(portable.toBase64(bytes))).toEqual(bytes);
    }
  });

  it.each([
    "A",
    "A=",
    "A==",
    "A===",
    "====",
    "AQI",
    "AQ",
    "AQ==",
    "AR==",
    "AQ=A",
    "AQ==AQID",
    "AQIDA===",
    "AQ ID",
    "AQID\n",
    " AQI=\t",
    "AQ-_",
    "AQ_-AQID",
    "A*ID",
    "AQI\u{144}",
    "AQI\u{2044}",
    "AQ\0D",
  ])("reads or refuses %j as the platform's own means do", (text) => {
    expect(outcome(node.fromBase64, text)).toBe(outcome(portable.fromBase64, text));
  });
});

describe("base64 on a platform without Node's Buffer", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("is read by the platform's own means", async () => {
    vi.stubGlobal("Buffer", undefined);
    const { fromBase64: read }: typeof node = await import(
      `${new URL("../../../src/core/values/base64-node.ts", import.meta.url).href}?without-buffer`
    );

    expect(read).toBe(portable.fromBase64);
    expect(read("AQI=")).toEqual(Uint8Array.of(1, 2));
  });
});
