import { describe, expect, it } from "vitest";
import { valueFromJson } from "../../../src/core/values/value-json-reading.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";
import { MsgpackExtension } from "../../../src/core/values/index.ts";

describe("a MessagePack extension value", () => {
  it("is rendered as its type and bytes and read back from them", () => {
    const extension = new MsgpackExtension(-7, Uint8Array.of(1, 2, 3));

    const json = valueToJson({ extension });

    expect(json).toEqual({ extension: { $msgpackExtension: [-7, "AQID"] } });
    expect(valueFromJson(json)).toEqual({ extension });
  });

  it.each([{ $msgpackExtension: [] }, { $msgpackExtension: ["7", "AQID"] }, { $msgpackExtension: [300, "AQID"] }])(
    "is refused when it is malformed: %j",
    (json) => {
      expect(() => valueFromJson(json)).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
    },
  );
});
