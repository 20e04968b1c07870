import { describe, expect, it } from "vitest";
import { commandSerializer } from "../../src/cli/codecs.ts";
import type { TargetFormat } from "../../src/migration/index.ts";
import { ofNet10 } from "../net10.support.ts";
import { jsonIn, writing } from "./written.support.ts";

const serializer = await commandSerializer({});
const { migrated } = writing();
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';

describe("a scalar that XML writes with its type", () => {
  it.each([
    ["next to a list in one dictionary", [ofNet10("anys-xml")], [{ a: 5, b: [1, 2] }]],
    [
      "next to a list of XmlSerializer",
      [
        `<Box ${xsi}><Any xsi:type="xsd:int">5</Any></Box>`,
        `<Box ${xsi}><Any xsi:type="ArrayOfInt"><int>1</int><int>2</int></Any></Box>`,
      ],
      [{ Any: 5 }, { Any: [1, 2] }],
    ],
    [
      "next to a list of lists",
      [
        `<Box ${xsi}><Any xsi:type="xsd:int">5</Any><Any xsi:type="xsd:string">a</Any></Box>`,
        `<Box ${xsi}><Any xsi:type="ArrayOfInt"><int>1</int></Any><Any xsi:type="ArrayOfInt"><int>2</int></Any></Box>`,
      ],
      [
        [5, "a"],
        [[1], [2]],
      ],
    ],
  ])("stays a scalar %s", async (_, messages, expected) => {
    const { bodies, report } = await migrated(messages, { serializer });

    expect(bodies).toEqual(expected);
    expect(report.losses).toEqual([]);
  });

  it("is the only item where other messages repeat the element", async () => {
    const { bodies } = await migrated(
      [`<Box ${xsi}><Id>1</Id><Tag>a</Tag><Tag>b</Tag></Box>`, `<Box ${xsi}><Id>2</Id><Tag>c</Tag></Box>`],
      { serializer },
    );

    expect(bodies).toEqual([
      { Id: 1, Tag: ["a", "b"] },
      { Id: 2, Tag: ["c"] },
    ]);
  });
});

const batch = (...items: readonly string[]): string => `<Batch xmlns="urn:b">${items.join("")}</Batch>`;
const item = (id: string): string => `<Item><Id>${id}</Id><Name>n${id}</Name></Item>`;
const one = (id: number): object => ({ Id: id, Name: `n${id}` });
const order = (inside: string): string => `<Order xmlns="urn:o"><No>1</No><Lines>${inside}</Lines></Order>`;

describe("a root that is a list in one message and an object in another", () => {
  it.each<TargetFormat>(["json", "msgpack", "tagged-json", "protobuf"])("has one shape, as %s", async (format) => {
    const { report, envelopes } = await migrated(
      [
        batch(item("1")),
        batch(item("2"), item("3")),
        batch(item("4"), "<Note>x</Note>"),
        batch(item("5"), item("6"), "<Note>y</Note>"),
      ],
      { serializer, target: { format } },
    );

    expect(report.failures).toEqual([]);
    expect(report.losses).toEqual([]);
    if (format === "json")
      expect(envelopes.map(jsonIn)).toEqual([
        { Item: [one(1)] },
        { Item: [one(2), one(3)] },
        { Item: [one(4)], Note: "x" },
        { Item: [one(5), one(6)], Note: "y" },
      ]);
  });

  it("has one shape in an inner element, too", async () => {
    const { report, bodies } = await migrated(
      [order(item("1") + item("2")), order(`${item("3")}<Total>5</Total>`), order(item("4"))],
      { serializer },
    );

    expect(report.failures).toEqual([]);
    expect(bodies).toEqual([
      { No: 1, Lines: { Item: [one(1), one(2)] } },
      { No: 1, Lines: { Item: [one(3)], Total: 5 } },
      { No: 1, Lines: { Item: [one(4)] } },
    ]);
  });
});
