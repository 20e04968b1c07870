import { describe, expect, it } from "vitest";
import { checkCompatibility } from "../../src/contract/index.ts";

const compare = (older: unknown, newer: unknown) =>
  checkCompatibility({ format: "json-schema", older, newer, contentModel: "as-written" });

const newest = "https://json-schema.org/draft/2020-12/schema";

describe("dialects", () => {
  it.each([
    "http://json-schema.org/draft-03/schema#",
    "https://example.com/my-2020-12-dialect",
    "https://json-schema.org/schema",
  ])("that are not read are refused: %s", async ($schema) => {
    await expect(compare({ $schema, type: "string" }, {})).rejects.toMatchObject({
      code: "InvalidArgument",
      path: "#/$schema",
    });
  });

  it.each(["http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-04/schema", newest, `${newest}#`])(
    "that are read are known by their URI: %s",
    async ($schema) => {
      expect((await compare({ $schema, type: "string" }, {})).verdict).toBe("safe");
    },
  );

  it("of a schema inside another one leave what depends on it undecided", async () => {
    const older = { properties: { a: { $schema: "https://example.com/own", minimum: 5 } } };

    expect((await compare(older, { properties: { a: { minimum: 4 } } })).verdict).toBe("unproven");
  });

  it.each(["http://json-schema.org/draft-07/schema#", newest])(
    "may be what a schema refers to: %s",
    async ($schema) => {
      const document = (name: object) => ({ $schema, type: "object", properties: { schema: { $ref: $schema }, name } });

      const { verdict } = await compare(document({ type: "string" }), document({ type: "string", maxLength: 3 }));

      expect(verdict).toBe("breaking");
    },
  );

  it("are not taken for one another in the meta-schema, whose vocabularies extend each other dynamically", async () => {
    const older = { $ref: `${newest.replace("/schema", "")}/meta/applicator` };

    expect((await compare({ $schema: newest, ...older }, { $schema: newest, $ref: newest })).verdict).not.toBe("safe");
    expect((await compare({ $schema: newest, $ref: newest }, { $schema: newest, ...older })).verdict).not.toBe("safe");
  });
});
