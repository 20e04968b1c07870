import { describe, expect, it } from "vitest";
import { jsonSchema } from "../../../src/core/json-schema/index.ts";
import { defineMessage } from "../../../src/core/message/index.ts";
import { refusal } from "../../refusal.support.ts";

const issuesOf = (schema: object, value: unknown, formats?: "annotation" | "assertion"): unknown =>
  Reflect.get(Object(jsonSchema({ ...schema }, { formats })["~standard"].validate(value)), "issues");

const cases: Readonly<Record<string, { readonly has: readonly string[]; readonly lacks: readonly string[] }>> = {
  date: {
    has: ["2026-02-28", "2024-02-29", "2000-02-29"],
    lacks: ["2026-02-29", "1900-02-29", "2026-2-01", "26-01-01"],
  },
  "date-time": {
    has: ["2026-01-31T12:30:00Z", "2026-01-31t12:30:00.5+02:00", "1998-12-31T23:59:60Z", "1998-12-31T15:59:60-08:00"],
    lacks: [
      "2026-01-31",
      "2026-01-31T24:00:00Z",
      "2026-01-31 12:30:00Z",
      "2026-01-31T12:30:00",
      "1998-12-31T22:59:60Z",
    ],
  },
  time: { has: ["12:30:00Z", "23:59:60+00:00"], lacks: ["12:30Z", "12:30:00", "12:60:00Z", "12:30:00+24:00"] },
  duration: { has: ["P1D", "PT1H30M", "P4W", "P1Y2M3DT4H5M6S"], lacks: ["P", "PT", "1D", "P1D4W", "PT1D", "P1.5D"] },
  email: {
    has: ["a@b.example", "a.b+c@example", '"a b"@example.org', "a@[127.0.0.1]", "a@[IPv6:::1]"],
    lacks: ["a", "@b", "a@", ".a@b.example", "a..b@example", "a b@example", "a@-b.example", "a@[127.0.0.300]"],
  },
  "idn-email": { has: ["实例@example.org", "a@b.example"], lacks: ["实例"] },
  hostname: {
    has: ["example.org", "a", "xn--4gbwdl.xn--wgbh1c", `${"a".repeat(63)}.example`],
    lacks: ["", "-a", "a-", "a_b", "a..b", "a.", `${"a".repeat(64)}.example`],
  },
  ipv4: { has: ["127.0.0.1", "255.255.255.255"], lacks: ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4 ", "0x7f.0.0.1"] },
  ipv6: {
    has: ["::", "::1", "1::", "1:2:3:4:5:6:7:8", "::ffff:192.168.0.1", "1::3:4:5:6:7:8"],
    lacks: [
      "1:2:3:4:5:6:7",
      "1::2::3",
      ":::",
      "12345::",
      "1:2:3:4:5:6:7:8:9",
      "::1%eth0",
      "1:2:3:4::5:6:7:8",
      ":1:2:3:4:5:6:7",
    ],
  },
  uri: {
    has: ["https://a.example/b?c#d", "urn:a:b", "http://u:p@[::1]:80/", "mailto:a@b.example", "http://a/%20"],
    lacks: ["/a", "//a/b", "https://a b", "http://a/%2", "http://[::x]/", ":a", "http://a/<b>", "http://a:b/"],
  },
  "uri-reference": { has: ["/a", "", "#a", "?a", "a/b:c", "//a/b"], lacks: ["\\a", "a b", "#a\\b", "1:b"] },
  iri: { has: ["https://ƒøø.example/?∂é=π"], lacks: ["/a", "https://a b", "é"] },
  "iri-reference": { has: ["/âππ", "#ƒ"], lacks: ["\\âππ"] },
  "uri-template": {
    has: ["/a/{b}/{c:3}{?d,e*}{#f}", "", "é", "{+a.b}"],
    lacks: ["{", "}", "{a", "a}", "{a b}", "{}", "a b", "{a:0}"],
  },
  uuid: {
    has: ["6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"],
    lacks: [
      "6ba7b8109dad11d180b400c04fd430c8",
      "6ba7b810-9dad-11d1-80b4-00c04fd430cg",
      "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    ],
  },
  "json-pointer": { has: ["", "/", "/a~0b/~1/0"], lacks: ["a", "/~2", "/~"] },
  "relative-json-pointer": { has: ["0", "1/a", "2#"], lacks: ["/a", "01/a", "-1/a", "1#/a", ""] },
  regex: { has: ["^a+$", "\\p{L}"], lacks: ["(", "\\a", "[z-a]"] },
};

const strings = Object.entries(cases).flatMap(([format, { has, lacks }]) => [
  ...has.map((text) => ({ format, text, isRight: true })),
  ...lacks.map((text) => ({ format, text, isRight: false })),
]);

/** Whether an asserted format is met; each schema is compiled once. */
const asserted = new Map(
  Object.keys(cases).map((format) => {
    const { validate } = jsonSchema({ format }, { formats: "assertion" })["~standard"];
    return [format, (text: string) => Reflect.get(Object(validate(text)), "issues") === undefined] as const;
  }),
);

describe("a format that is asserted", () => {
  it.each(strings)("$format of $text: $isRight", ({ format, text, isRight }) => {
    expect(asserted.get(format)?.(text)).toBe(isRight);
  });

  it("is named in the refusal, without the text", () => {
    const Order = defineMessage("acme.order", {
      1: jsonSchema({ properties: { id: { type: "string", format: "uuid" } } }, { formats: "assertion" }),
    });

    const error = refusal(() => Order.read({ id: "secret" }, 1));

    expect(error.message).toBe('The body is not acme.order version 1: $.id must match format "uuid".');
  });

  it("takes the native values of other codecs in the form that it asks for", () => {
    expect(issuesOf({ type: "string", format: "date-time" }, new Date(0), "assertion")).toBeUndefined();
  });

  it("is refused with the schema where no test exists for it, rather than accepting everything", () => {
    const error = refusal(() => jsonSchema({ format: "idn-hostname" }, { formats: "assertion" }));

    expect(error.code).toBe("InvalidArgument");
    expect(error.message).toContain('"idn-hostname"');
  });

  it("of a number stays an annotation", () => {
    expect(issuesOf({ type: "integer", format: "int32" }, 2 ** 40, "assertion")).toBeUndefined();
  });

  it("is decided for long texts, on which quadratic time would end the test", () => {
    const long = "a".repeat(100_000);
    const reference = ["uri-reference", "iri-reference", "uri-template", "regex"];
    const met: readonly (readonly [text: string, formats: readonly string[]])[] = [
      [long, reference],
      [`${long}@`, reference],
      [`${long}:`, ["uri", "uri-reference", "iri", "iri-reference", "uri-template", "regex"]],
      [`/${long}{`, ["json-pointer"]],
      [`"${long}`, ["regex"]],
      ["1:".repeat(50_000), ["uri-template", "regex"]],
      ["%61".repeat(30_000), reference],
    ];

    for (const [text, formats] of met)
      expect(
        [...asserted].filter(([, meets]) => meets(text)).map(([format]) => format),
        text.slice(-2),
      ).toEqual(formats);
  });
});

describe("a format", () => {
  it("is an annotation by default, and refuses nothing", () => {
    expect(issuesOf({ format: "uuid" }, "not one")).toBeUndefined();
    expect(issuesOf({ format: "idn-hostname" }, "not one")).toBeUndefined();
  });

  it("that nobody knows is refused with the schema", () => {
    expect(refusal(() => jsonSchema({ format: "uid" })).message).toContain('"uid"');
  });
});
