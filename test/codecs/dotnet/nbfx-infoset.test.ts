import { describe, expect, it } from "vitest";
import { readNbfxDocument } from "../../../codecs/dotnet/nbfx/read-document.ts";
import { defaultDecodeLimits } from "../../../src/core/codec/index.ts";
import { infosetOf } from "./infoset.support.ts";
import { ofVectors } from "../../vectors.support.ts";
import { fixtures, json, payloadOf } from "./vectors.support.ts";

/** Keys 0 to 74 of the dictionary that one fixture was written with. */
const dictionary = Array.from({ length: 75 }, (_, key) => ["Envelope", "urn:env", "Body", "Id"][key] ?? "LargeKey");

describe("Microsoft's own reader", () => {
  const read = fixtures("open", ["nbfx", "nbfx-raw"]).filter(({ infoset }) => infoset !== undefined);

  it("has read so many payloads", () => {
    expect(read).toHaveLength(ofVectors(147, 38));
  });

  it.each(read)("reports the nodes that we read: $id", (fixture) => {
    const options = { dictionary, timeZone: "Europe/Madrid" };

    const document = readNbfxDocument(payloadOf("open", fixture), defaultDecodeLimits, options);

    expect(infosetOf(document)).toEqual(json(fixture.infoset ?? ""));
  });
});
