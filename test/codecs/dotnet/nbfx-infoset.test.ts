import { describe, expect, it } from "vitest";
import { readNbfxDocument } from "../../../codecs/dotnet/nbfx/read-document.ts";
import { defaultDecodeLimits } from "../../../src/core/codec/index.ts";
import { infosetOf } from "./infoset.support.ts";
import { fixtures, hasVectors, json, payloadOf, vectorsNeeded } from "./vectors.support.ts";

/** Keys 0 to 74 of the dictionary that one fixture was written with. */
const dictionary = Array.from({ length: 75 }, (_, key) => ["Envelope", "urn:env", "Body", "Id"][key] ?? "LargeKey");

describe.skipIf(!hasVectors)(`Microsoft's own reader (${vectorsNeeded})`, () => {
  it.each(fixtures("open", ["nbfx", "nbfx-raw"]).filter(({ infoset }) => infoset !== undefined))(
    "reports the nodes that we read: $id",
    (fixture) => {
      const options = { dictionary, timeZone: "Europe/Madrid" };

      const document = readNbfxDocument(payloadOf("open", fixture), defaultDecodeLimits, options);

      expect(infosetOf(document)).toEqual(json(fixture.infoset ?? ""));
    },
  );
});
