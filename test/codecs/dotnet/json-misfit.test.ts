import { expect, it } from "vitest";
import { dataContractJson } from "../../../codecs/dotnet/index.ts";
import { resolveDecodeLimits } from "../../../src/core/codec/index.ts";
import { DateTime } from "../../../src/core/values/index.ts";

const contract = {
  title: "Order",
  properties: {
    Lines: { items: { $ref: "#/$defs/Line" } },
    Ro: { "x-dotnet": "guid" },
    When: { "x-dotnet": "dateTime" },
    Count: { "x-dotnet": "long" },
  },
  $defs: { Line: { properties: { Qty: { "x-dotnet": "int" } } } },
};

it("reads ISO dates, and keeps what does not fit its contract with a warning that names the path", () => {
  const payload = new TextEncoder().encode(
    '{"Lines":[{"Qty":1},{"Qty":"many"}],"Ro":"none","Count":1.5,"When":"2024-01-01T00:00:00Z"}',
  );

  const decoded = dataContractJson({ contract }).decode(payload, {
    contentType: undefined,
    applicationProperties: {},
    bodyKind: "data",
    limits: resolveDecodeLimits(),
  });

  expect(decoded).toMatchObject({
    body: { Lines: [{ Qty: 1 }, { Qty: "many" }], Ro: "none", Count: 1.5, When: expect.any(DateTime) },
    warnings: [
      "$.Lines[].Qty does not fit its contract (int); it was kept as written.",
      "$.Ro does not fit its contract (guid); it was kept as written.",
      "$.Count does not fit its contract (long); it was kept as written.",
    ],
  });
});
