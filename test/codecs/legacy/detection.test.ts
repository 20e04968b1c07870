import { describe, expect, it } from "vitest";
import { legacy } from "../../../codecs/legacy/index.ts";
import { java } from "../../../codecs/java/index.ts";
import { nrbf } from "../../../codecs/dotnet/nrbf/index.ts";
import { ofVectors } from "../../vectors.support.ts";
import { hex, bytesOf, keptPayloads, vectorBytes, vectors } from "./reading.support.ts";

const readers = legacy();
const strongOf = (payload: Uint8Array): readonly string[] =>
  readers.filter((reader) => reader.sniff?.(payload) === "strong").map(({ name }) => name);

describe("what the first bytes of a payload show", () => {
  it.each([
    ["java", java()],
    ["nrbf", nrbf()],
  ] as const)("is that it is of %s", (family, decoder) => {
    for (const payload of keptPayloads(family)) {
      expect(decoder.sniff?.(bytesOf(payload)), payload.name).toBe("strong");
    }
  });

  it("is nothing in other bytes", () => {
    const others = ["", "00", "aced", "aced0005", "aced000500", "aced000673", "00".repeat(18), "7b7d", "cafebabe"];

    for (const bytes of others.map(hex)) {
      expect(java().sniff?.(bytes)).toBe("no");
      expect(nrbf().sniff?.(bytes)).toBe("no");
    }
    expect(nrbf().sniff?.(hex("00 01000000 ffffffff 01000000 00000000"))).toBe("no");
  });
});

/** The readers that may take a payload of each family for certain, and the one that must. */
const own: Readonly<Record<string, { readonly may: readonly string[]; readonly must?: string }>> = {
  nbfx: { may: ["nbfx"] },
  "nbfx-raw": { may: ["nbfx"] },
  nrbf: { may: ["nrbf"], must: "nrbf" },
  java: { may: ["java"], must: "java" },
  xml: { may: ["datacontract-xml"] },
  xmlserializer: { may: ["datacontract-xml"] },
  dcjson: { may: ["datacontract-json"] },
  // These are wrapped: what counts is the layer on the outside.
  text: { may: ["gzip", "bom", "nbfx", "datacontract-xml"] },
  amqp: { may: [] },
};

describe("the legacy vectors", () => {
  it("have no payload of one family that is taken for another", () => {
    const wrong = vectors("open").flatMap((vector) => {
      const { may = [], must } = own[vector.family] ?? {};
      const strong = strongOf(vectorBytes("open", vector));
      const right = strong.every((name) => may.includes(name)) && (must === undefined || strong.includes(must));
      return right ? [] : [`${vector.id}: ${strong.join()}`];
    });

    expect(vectors("open").length).toBeGreaterThan(ofVectors(400, 150));
    expect(wrong).toEqual([]);
  });
});
