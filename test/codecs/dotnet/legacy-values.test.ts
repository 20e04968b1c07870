import { describe, expect, it } from "vitest";
import { dataContractJson, dataContractXml, type DotnetContract, nbfx } from "../../../codecs/dotnet/index.ts";
import { type Decoder, defaultDecodeLimits } from "../../../src/codec/index.ts";
import { valueToJson } from "../../../src/envelope/index.ts";
import { contractOf } from "./contracts.ts";
import { isExactly, isLexically } from "./equality.ts";
import { type Fixture, fixtures, hasVectors, json, payloadOf, vectorsNeeded } from "./vectors.ts";

const timeZone = "Europe/Madrid";

/** The decoders of each family, with the contract of a type or without. */
const decoders: Readonly<Record<string, (clrType: string | undefined) => Decoder>> = {
  nbfx: (type) => nbfx({ timeZone, contracts: contracts(type) }),
  xml: (type) => dataContractXml({ contracts: contracts(type) }),
  xmlserializer: (type) => dataContractXml({ contracts: contracts(type) }),
  dcjson: (type) => {
    const [contract] = contracts(type);
    return dataContractJson(contract === undefined ? {} : { contract });
  },
};

function contracts(clrType: string | undefined): readonly DotnetContract[] {
  const contract = clrType === undefined ? undefined : contractOf(clrType);
  return contract === undefined ? [] : [contract];
}

function bodyOf(decoder: Decoder, fixture: Fixture): unknown {
  const decoded = decoder.decode(payloadOf("open", fixture), {
    contentType: undefined,
    applicationProperties: {},
    bodyKind: "data",
    limits: defaultDecodeLimits,
  });
  return valueToJson("body" in decoded ? decoded.body : undefined);
}

/** Ids of the fixtures that do not come out equal, and how many there are. */
function score(
  family: string,
  withContracts: boolean,
  isEqual: (actual: unknown, expected: unknown) => boolean,
): { readonly count: number; readonly different: readonly string[] } {
  const all = fixtures("open", [family]).filter(({ expected }) => expected !== undefined);
  const decoder = decoders[family];
  const different = all.filter((fixture) => {
    const body = decoder && bodyOf(decoder(withContracts ? fixture.dotnetType : undefined), fixture);
    return !isEqual(body, json(fixture.expected ?? ""));
  });
  return { count: all.length, different: different.map(({ id }) => id) };
}

const share = ({ count, different }: ReturnType<typeof score>): number => (count - different.length) / count;

describe.skipIf(!hasVectors)(`values of .NET's serializers (${vectorsNeeded})`, () => {
  it.each([
    ["nbfx", 144, 0.9],
    ["xml", 64, 0.9],
    ["xmlserializer", 32, 0.75],
    ["dcjson", 63, 0.8],
  ])("of %s come out the same in text when nothing is known of their types", (family, count, least) => {
    const result = score(family, false, isLexically);

    expect(result.count).toBe(count);
    expect(share(result), result.different.join(", ")).toBeGreaterThanOrEqual(least);
  });

  it("of NBFX come out exactly with a contract per type, but for the sign of zero, which is not written", () => {
    expect(score("nbfx", true, isExactly).different).toEqual(["nbfx-dcs-double-negzero"]);
  });

  it("of DataContractSerializer's XML come out exactly with a contract per type", () => {
    expect(score("xml", true, isExactly).different).toEqual([]);
  });

  it("of XmlSerializer come out exactly with a contract per type, but for structs that it writes empty", () => {
    expect(score("xmlserializer", true, isExactly).different).toEqual([
      "xml-xs-allscalars", // TimeSpan
      "xml-xs-arrays", // TimeSpan
      "xml-xs-timespan",
      "xml-xs-version-type",
    ]);
  });

  it("of DataContractJsonSerializer come out exactly with a contract per type, but for what it does not write", () => {
    expect(score("dcjson", true, isExactly).different).toEqual([
      "json-dcjs-allscalars", // ticks below a millisecond
      "json-dcjs-arrays", // a time of no kind is written as local
      "json-dcjs-datetime-unspec",
      "json-dcjs-datetime-utc", // ticks below a millisecond
      "json-dcjs-dict-string-object", // types of values declared as object
      "json-dcjs-wide-objects",
    ]);
  });
});
