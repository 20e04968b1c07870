import { expect, it } from "vitest";
import { noteValue } from "../../src/migration/infer/note-value.ts";
import { questionsOf } from "../../src/migration/infer/open-question.ts";
import { settleShape } from "../../src/migration/infer/settled-shape.ts";
import { mergeInto, PathShape } from "../../src/migration/infer/shape.ts";
import { bytes } from "../codecs/dotnet/decoding.support.ts";
import { xml } from "./samples.support.ts";
import { writing } from "./written.support.ts";

const { migrated } = writing();

it("returns numbers as the text they were when other messages have text there", async () => {
  const { report, bodies } = await migrated([xml("<Zip>28013</Zip><N>1</N>"), xml("<Zip>SW1A</Zip><N>2</N>")]);

  expect(bodies).toEqual([
    { Zip: "28013", N: 1 },
    { Zip: "SW1A", N: 2 },
  ]);
  expect(report.ambiguities.map(({ kind, path, count }) => [kind, path, count])).toEqual([["guessed-type", "$.N", 2]]);
});

it("never turns a number into text whose type the payload names", async () => {
  const typed = '<Any i:type="d:int" xmlns:d="http://www.w3.org/2001/XMLSchema">1</Any>';

  const { bodies } = await migrated([xml(`<Id>a</Id>${typed}`), xml("<Id>b</Id><Any>text</Any>")]);

  expect(bodies).toEqual([
    { Id: "a", Any: 1 },
    { Id: "b", Any: "text" },
  ]);
});

it("settles numbers next to members whose class the payload names", async () => {
  const derived = '<Pet i:type="d:Dog" xmlns:d="urn:shop"><Name>Rex</Name></Pet>';

  const { bodies } = await migrated([xml(`<Zip>28013</Zip>${derived}`), xml(`<Zip>SW1A</Zip>${derived}`)]);

  expect(bodies).toEqual([
    { Zip: "28013", Pet: { Name: "Rex" } },
    { Zip: "SW1A", Pet: { Name: "Rex" } },
  ]);
});

it.each([
  ["names the class of a member, as text", "d:Dog", "40 01 'v' 83 01", { Digit: "1" }],
  ["names the type of another scalar, as text, and that one as a number", "d:int", "83", { Digit: "1", Any: 1 }],
])("takes a digit in binary XML that %s", async (_, type, content, expected) => {
  const typed = (digit: string): Uint8Array =>
    bytes(
      `40 05 'Order' 08 09 'urn:order' 09 01 'i' 29 'http://www.w3.org/2001/XMLSchema-instance'
      40 05 'Digit' ${digit} 40 03 'Any' 09 01 'd' 20 'http://www.w3.org/2001/XMLSchema'
      2e 04 'type' 98 05 '${type}' ${content} 01`,
    );

  const { bodies } = await migrated([typed("83"), typed("99 01 'x'")]);

  expect(bodies[0]).toMatchObject(expected);
});

it("never reads a dictionary of one entry as a list, nor a key as a member", async () => {
  const [first, second] = ["a", "b"].map((key) =>
    xml(
      `<Map xmlns:a="http://schemas.microsoft.com/2003/10/Serialization/Arrays"><a:KeyValueOfstringPoint>` +
        `<a:Key>${key}</a:Key><a:Value><X>1.5</X><Y>2.5</Y></a:Value></a:KeyValueOfstringPoint></Map>`,
    ),
  );

  const { report, bodies } = await migrated([first ?? "", second ?? ""]);

  expect(bodies).toEqual([{ Map: { a: { X: 1.5, Y: 2.5 } } }, { Map: { b: { X: 1.5, Y: 2.5 } } }]);
  expect(report.ambiguities).not.toContainEqual(expect.objectContaining({ kind: "list-of-one" }));
  expect(report.types.flatMap(({ paths }) => paths.map(({ path }) => path))).toContain("$.Map[value].X");
});

it("says what is guessed next to values whose types are named: members, items and entries", async () => {
  const arrays = "http://schemas.microsoft.com/2003/10/Serialization/Arrays";
  const named =
    '<Any i:type="d:int" xmlns:d="http://www.w3.org/2001/XMLSchema">1</Any>' +
    `<Numbers xmlns:a="${arrays}"><a:int>1</a:int><a:int>2</a:int></Numbers>` +
    `<Map xmlns:a="${arrays}"><a:KeyValueOfstringint><a:Key>k</a:Key><a:Value>3</a:Value></a:KeyValueOfstringint></Map>`;

  const { report, bodies } = await migrated([
    xml(`<Zip>28013</Zip>${named}`),
    xml(`<Zip>SW1A</Zip>${named}`),
    xml(`<N>4</N>${named}`),
  ]);

  expect(bodies[0]).toEqual({ Zip: "28013", Any: 1, Numbers: [1, 2], Map: { k: 3 } });
  expect(report.settled.map(({ kind, path }) => [kind, path])).toEqual([["guessed-type", "$.Zip"]]);
  expect(report.ambiguities.map(({ kind, path }) => [kind, path])).toEqual([["guessed-type", "$.N"]]);
});

it("takes empty elements for dictionaries where the other messages have these", async () => {
  const arrays = "http://schemas.microsoft.com/2003/10/Serialization/Arrays";
  const map = (entries: string): string => xml(`<Id>x</Id><By xmlns:a="${arrays}">${entries}</By>`);
  const one = "<a:KeyValueOfstringint><a:Key>k</a:Key><a:Value>3</a:Value></a:KeyValueOfstringint>";

  const { bodies } = await migrated([map(one), map("")]);

  expect(bodies).toEqual([
    { Id: "x", By: { k: 3 } },
    { Id: "x", By: {} },
  ]);
});

it("asks about members for which there was no room, in several threads, too", () => {
  const rules = { guessing: "nothing", literal: false } as const;
  const [first, second] = [new PathShape(), new PathShape()];
  noteValue({ a: 1, b: { c: 2 } }, first, { ...rules, budget: { left: 2 } });
  noteValue({ d: 1 }, second, { ...rules, budget: { left: 9 } });

  mergeInto(first, PathShape.from(JSON.parse(JSON.stringify(second))), { left: 0 });

  const facts = { scalarsGuessed: false, codecs: new Map([["json", 2]]) };
  expect(questionsOf(settleShape(first), facts)).toEqual([
    { kind: "unrecorded", path: "$", count: 1, settledAs: undefined },
    { kind: "unrecorded", path: "$.b", count: 1, settledAs: undefined },
  ]);
});
