import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AmqpMap } from "../../../src/core/values/typed.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import { refusal } from "../../refusal.support.ts";
import { names, simple } from "./arbitraries.support.ts";

function create(applicationProperties: unknown): Envelope {
  const init: { payload: Uint8Array } = Object.assign({ payload: new Uint8Array() }, { applicationProperties });
  return createEnvelope(init);
}

describe("application properties", () => {
  it("copies binary values, so that the sender may go on using its buffer", () => {
    const digest = Uint8Array.of(1, 2);
    const envelope = create({ digest });

    digest[0] = 9;

    expect(envelope.applicationProperties["digest"]).toEqual(Uint8Array.of(1, 2));
  });

  it("keep every AMQP simple type under every name", () => {
    fc.assert(
      fc.property(fc.dictionary(names, simple, { maxKeys: 8 }), (given) => {
        const { applicationProperties } = create(given);

        expect(Object.entries(applicationProperties)).toEqual(Object.entries(given));
      }),
    );
  });

  it("treat constructor and __proto__ as ordinary names", () => {
    const { applicationProperties } = create(
      Object.fromEntries([
        ["__proto__", "p"],
        ["constructor", 1],
      ]),
    );

    expect(applicationProperties["__proto__"]).toBe("p");
    expect(applicationProperties["constructor"]).toBe(1);
    expect(create({}).applicationProperties["constructor"]).toBeUndefined();
    expect(create({}).applicationProperties["__proto__"]).toBeUndefined();
    expect("toString" in applicationProperties).toBe(false);
  });

  it.each([
    [["list"]],
    [{ a: 1 }],
    [new Map()],
    [new AmqpMap()],
    [() => 1],
    [Symbol("s")],
    [2n ** 64n],
    [-(2n ** 63n) - 1n],
    [new Date(Number.NaN)],
    [typed.array("int", [1])],
    [typed.described(typed.symbol("a"), ["list"])],
    [typed.described(new AmqpMap(), "text")],
    [/regexp/],
    ["half \ud83d"],
    [typed.described(typed.symbol("a"), "\ude80 half")],
  ])("refuse %o, naming the property", (value) => {
    const error = refusal(() => create({ fine: 1, wrong: value }));

    expect(error).toMatchObject({ code: "InvalidArgument", path: "$.applicationProperties.wrong" });
  });

  it("refuse half a surrogate pair in a name, which no border could carry", () => {
    const error = refusal(() => create({ "\ud83d": 1 }));

    expect(error).toMatchObject({ code: "InvalidArgument", path: "$.applicationProperties.\ud83d" });
  });

  it("take a described simple value, as .NET writes its TimeSpan", () => {
    const span = typed.described(typed.symbol("com.microsoft:timespan"), 36_000_000_000n);

    expect(create({ span }).applicationProperties["span"]).toBe(span);
  });

  it.each([new Map([["a", 1]]), new Date(0), new URL("x:y")])("refuse an instance of a class: %o", (value) => {
    // @ts-expect-error -- what JavaScript callers may do
    const make = () => createEnvelope({ payload: new Uint8Array(0), applicationProperties: value });

    expect(make).toThrow(expect.objectContaining({ code: "InvalidArgument", path: "$.applicationProperties" }));
  });

  it.each([null, "text", 5, []])("refuse %j in place of an object", (value) => {
    expect(refusal(() => create(value))).toMatchObject({ code: "InvalidArgument", path: "$.applicationProperties" });
  });

  it("are frozen, also when there are none", () => {
    expect(Object.isFrozen(create({ a: 1 }).applicationProperties)).toBe(true);
    expect(Object.isFrozen(create(undefined).applicationProperties)).toBe(true);
    expect(Object.isFrozen(create({ a: undefined }).applicationProperties)).toBe(true);
  });
});
