import { describe, expect, it } from "vitest";
import { dataContractJson, dataContractXml, type DotnetContract, nbfx } from "../../../codecs/dotnet/index.ts";
import { type Decoder, defaultDecodeLimits } from "../../../src/core/codec/index.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";
import { asWritten } from "./as-written.support.ts";
import { contractOf } from "./contracts.support.ts";
import { isExactly, isLexically } from "./equality.support.ts";
import { ofVectors } from "../../vectors.support.ts";
import { type Fixture, fixtures, json, payloadOf } from "./vectors.support.ts";

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

/** Payloads that more than one value of their type is written as, and what the bytes do not hold of it. */
const sameBytes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nbfx: { "nbfx-dcs-double-negzero": "-0.0 and 0.0 are both the record ZeroText" },
  xml: {},
  xmlserializer: {
    "xml-xs-allscalars": "every TimeSpan is <Ts />: it has no public settable member",
    "xml-xs-arrays": "every TimeSpan is <TimeSpan />",
    "xml-xs-timespan": "every TimeSpan is <TimeSpan />",
    "xml-xs-version-type": "every Version is <Version />",
  },
  dcjson: {
    "json-dcjs-allscalars": "times are written in milliseconds: the ticks …1234567 and …1230000 are one Date(…123)",
    "json-dcjs-arrays": "a time of no kind is written with the offset of the zone, as the same local time is",
    "json-dcjs-datetime-unspec": "a time of no kind is written with the offset of the zone, as the same local time is",
    "json-dcjs-datetime-utc": "times are written in milliseconds: the ticks …7891234 and …7890000 are one Date(…789)",
    "json-dcjs-dict-string-object": "in a member declared as object, the long 42 is 42 and the Guid is a string",
    "json-dcjs-wide-objects": "in a member declared as object, the decimal 2.5 is 2.5 and the char is a string",
  },
};

const share = ({ count, different }: ReturnType<typeof score>): number => (count - different.length) / count;

describe("values of .NET's serializers", () => {
  it.each([
    ["nbfx", ofVectors(144, 32), 0.95],
    ["xml", ofVectors(64, 21), 0.95],
    ["xmlserializer", ofVectors(32, 31), 0.75],
    ["dcjson", ofVectors(63, 25), 0.8],
  ])("of %s come out the same in text when nothing is known of their types", (family, count, least) => {
    const result = score(family, false, isLexically);

    expect(result.count).toBe(count);
    expect(share(result), result.different.join(", ")).toBeGreaterThanOrEqual(least);
  });

  it.each(["nbfx", "xml", "xmlserializer", "dcjson"])(
    "of %s come out exactly with a contract per type, wherever the bytes tell them from others",
    (family) => {
      const { count, different } = score(family, true, isExactly);

      expect(different.toSorted()).toEqual(Object.keys(sameBytes[family] ?? {}).toSorted());
      const told = count - different.length;
      expect(told / (count - Object.keys(sameBytes[family] ?? {}).length)).toBe(1);
    },
  );

  it.each(Object.entries(sameBytes).flatMap(([family, ids]) => Object.keys(ids).map((id) => [id, family] as const)))(
    "of %s are read as one that is written in the same bytes",
    (id, family) => {
      const fixture = fixtures("open", [family]).find((one) => one.id === id);
      const decoder = decoders[family]?.(fixture?.dotnetType);
      const body = fixture && decoder && bodyOf(decoder, fixture);
      const expected = json(fixture?.expected ?? "");

      expect(isExactly(body, expected)).toBe(false);
      expect(isExactly(asWritten(family, body), asWritten(family, expected))).toBe(true);
    },
  );

  it("of XmlSerializer that are lost are empty elements, for every value of their type", () => {
    for (const id of Object.keys(sameBytes["xmlserializer"] ?? {})) {
      const fixture = fixtures("open", ["xmlserializer"]).find((one) => one.id === id);
      const text = fixture === undefined ? "" : new TextDecoder().decode(payloadOf("open", fixture));

      expect(text).toMatch(/<(?:Ts|TimeSpan|Version)(?: xmlns:xs[di]="[^"]*")* \/>/);
    }
  });

  it("of NBFX are written in the same bytes where the sign of zero is all that differs", () => {
    const context = { contentType: undefined, applicationProperties: {} };
    const contract = contracts("System.Double");

    const [zero, negative] = [0, -0].map((value) => nbfx({ contracts: contract }).encode(value, context).payload);

    expect(zero).toEqual(negative);
  });
});
