import { describe, expect, it } from "vitest";
import { filterHeaders } from "../../../src/broker/rabbitmq/filter-headers.ts";
import { selectorOf } from "../../../src/broker/rabbitmq/rule-selector.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { typed } from "../../../src/core/values/index.ts";

/** The comparison of two properties in one type. */
const pair = (kind: string): string => `{'=',{'ident',<<"f.${kind}.user.a">>},{'ident',<<"f.${kind}.user.b">>}}`;

const sql = (expression: string): string | undefined => selectorOf({ name: "r", filter: { kind: "sql", expression } });

describe("the selector of a rule", () => {
  it.each([
    ["colour = 'red'", `{'=',{'ident',<<"f.s.user.colour">>},<<"red">>}.`],
    ["Size > 10", `{'>',{'ident',<<"f.n.user.size">>},10}.`],
    ["NOT size > 2.5", `{'<=',{'ident',<<"f.n.user.size">>},2.5}.`],
    ["sys.Label LIKE 'b!%' ESCAPE '!'", `{'like',{'ident',<<"f.s.sys.subject">>},<<"b!%">>,<<"!">>}.`],
    ["EXISTS(a)", `{'not',{'is_null',{'ident',<<"f.x.user.a">>}}}.`],
    ["a = NULL", `{'=',{'ident',<<"f.never">>},1}.`],
    ["a = 'it\"s \\ é'", `{'=',{'ident',<<"f.s.user.a">>},<<105,116,34,115,32,92,32,195,169>>}.`],
    ["a + 1 = 1e21", `{'=',{'+',{'ident',<<"f.n.user.a">>},1},1.0e+21}.`],
  ])("of %s asks for the type that it compares", (expression, term) => {
    expect(sql(expression)).toBe(term);
  });

  it("compares two properties in each type that both may have", () => {
    expect(sql("a = b")).toBe(`{'or',{'or',${pair("n")},${pair("s")}},{'or',${pair("b")},${pair("d")}}}.`);
  });

  it("is flat enough for RabbitMQ 4.2.6, which takes 16 levels, however long the condition", () => {
    const selector = sql(Array.from({ length: 100 }, (_, index) => `a${index}=1`).join(" OR ")) ?? "";
    let depth = 0;
    let deepest = 0;
    for (const sign of selector.replaceAll(/<<"[^"]*">>/g, "")) {
      if (sign === "{") deepest = Math.max(deepest, ++depth);
      if (sign === "}") depth--;
    }

    expect(depth).toBe(0);
    expect(deepest).toBeLessThanOrEqual(16);
  });

  it("accepts nothing for a false filter, and everything for a true one", () => {
    expect(selectorOf({ name: "r", filter: { kind: "false" } })).toBeUndefined();
    expect(selectorOf({ name: "r", filter: { kind: "true" } })).toBe("true.");
  });

  it("joins the members of a correlation filter", () => {
    const filter = { kind: "correlation", subject: "order", applicationProperties: { size: 5, yes: true } } as const;

    expect(selectorOf({ name: "r", filter })).toBe(
      `{'and',{'and',{'=',{'ident',<<"f.s.sys.subject">>},<<"order">>},{'=',{'ident',<<"f.n.user.size">>},5}},{'=',{'ident',<<"f.b.user.yes">>},true}}.`,
    );
  });

  it.each([
    ["newid() = 'a'", "newid()"],
    ["a / 2 = 1", "the operator /"],
    ["a % 2 = 1", "the operator %"],
    ["p(a) = 1", "a calculated name"],
    ["a LIKE b", "LIKE with a pattern that is not a constant"],
    ["sys.Nothing = 1", 'the unknown system property "Nothing"'],
  ])("of %s is refused, since RabbitMQ cannot evaluate it", (expression, what) => {
    expect(() => sql(expression)).toThrow(
      expect.objectContaining({ code: "UnsupportedCapability", message: `A rule on RabbitMQ cannot have ${what}.` }),
    );
  });

  it("refuses an action", () => {
    const action = { kind: "sql", expression: "SET a = 1" } as const;

    expect(() => selectorOf({ name: "r", filter: { kind: "true" }, action })).toThrow(
      expect.objectContaining({ code: "UnsupportedCapability" }),
    );
  });
});

describe("the headers for rules", () => {
  it("have the type of a value in their name, and no type that closes the sender's connection", () => {
    const envelope = createEnvelope({
      payload: new Uint8Array(),
      brokerProperties: { subject: "order", timeToLive: 5 },
      applicationProperties: {
        Text: "x",
        whole: typed.ubyte(7),
        big: 2n ** 63n,
        real: 2.5,
        yes: true,
        time: new Date(1000),
        bytes: Uint8Array.of(1),
        empty: null,
      },
    });

    const { ...headers } = filterHeaders(envelope);

    const kinds = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("f.x.")));
    expect(kinds).toEqual({
      "f.s.user.text": "x",
      "f.n.user.whole": { "!": "int64", value: 7n },
      "f.n.user.big": { "!": "double", value: 2 ** 63 },
      "f.n.user.real": { "!": "double", value: 2.5 },
      "f.b.user.yes": true,
      "f.d.user.time": { "!": "int64", value: 1000n },
      "f.o.user.bytes": true,
      "f.s.sys.subject": "order",
      "f.n.sys.timeToLive": { "!": "int64", value: 5n },
    });
    expect(headers["f.x.user.empty"]).toBe(true);
  });
});
