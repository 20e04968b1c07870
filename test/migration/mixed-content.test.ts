import { describe, expect, it } from "vitest";
import { writing } from "./written.support.ts";

const { migrated } = writing();
const soap = "http://schemas.xmlsoap.org/soap/envelope/";

describe("text among elements", () => {
  it.each([
    ["numbers and texts in turn", "<G><int>321</int>One<int>2</int>Two</G>"],
    ["one text in front", "<Root xmlns='urn:r'>One<a>1</a></Root>"],
    ["one text in the end", "<Root xmlns='urn:r'><a>1</a>One</Root>"],
    ["in an inner element", "<Root xmlns='urn:r'><a>1</a><p>see <b>this</b> page</p></Root>"],
    ["in a SOAP body", `<e:Envelope xmlns:e="${soap}"><e:Body>x<a>1</a></e:Body></e:Envelope>`],
    ["in a part of a SOAP body", `<e:Envelope xmlns:e="${soap}"><e:Body><p>x<a>1</a></p></e:Body></e:Envelope>`],
  ])("is a warning, since members keep no order: %s", async (_, payload) => {
    const { report } = await migrated([payload]);

    expect(report.warnings.map(({ text }) => text)).toEqual([
      expect.stringContaining("has text among its elements; their order is not kept"),
    ]);
    expect(report.verdict).toBe("ambiguous");
  });

  it("is no warning where the rest are attributes or formatting", async () => {
    const { report } = await migrated(["<Root xmlns='urn:r'>\n  <a unit='kg'>1</a>\n  <!-- x -->\n</Root>"]);

    expect(report.warnings).toEqual([]);
  });
});
