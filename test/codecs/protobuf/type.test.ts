import protobufjs from "protobufjs";
import { describe, expect, it } from "vitest";
import { protobuf } from "../../../codecs/protobuf/index.ts";
import { failure, hex } from "../msgpack/calls.support.ts";
import { calls } from "./calls.support.ts";

const protos =
  'syntax = "proto3"; package acme; message Order { string id = 1; message Line { string sku = 1; } } message Note { string text = 1; }';
const order = hex("0a 01 78");

describe("the message type", () => {
  it.each([
    ["the parameter messageType", { contentType: "application/protobuf; messageType=acme.Order" }],
    ["the parameter in another case, with a leading dot", { contentType: "application/x; MESSAGETYPE=.acme.Order" }],
    ["the parameter proto", { contentType: 'application/x-protobuf; proto="acme.Order"' }],
    ["the application property", { applicationProperties: { "sobre-type": "acme.Order" } }],
  ])("is named by %s", (_, said) => {
    const { decode, encode } = calls({ protos });

    expect(decode(order, said)).toEqual({ body: { id: "x" }, typeName: "acme.Order" });
    expect(encode({ id: "x" }, said)).toEqual(order);
  });

  it("is named by another application property on demand", () => {
    const { decode } = calls({ protos, typeProperty: "kind" });

    expect(decode(order, { applicationProperties: { kind: "acme.Note" } }).body).toEqual({ text: "x" });
  });

  it("is the one of the option when the content type names none", () => {
    const { decode } = calls({ protos, type: "acme.Order" });

    expect(decode(order).typeName).toBe("acme.Order");
    expect(decode(order, { applicationProperties: { "sobre-type": "order.placed" } }).typeName).toBe("acme.Order");
    expect(decode(order, { contentType: "application/protobuf; messageType=acme.Note" }).typeName).toBe("acme.Note");
  });

  it("may be one inside another", () => {
    const said = { contentType: "application/protobuf; messageType=acme.Order.Line" };

    expect(calls({ protos }).decode(order, said).body).toEqual({ sku: "x" });
  });

  it.each([
    ["nobody names it", {}],
    ["it is not in the schema", { contentType: "application/protobuf; messageType=acme.Nobody" }],
    ["only the last part of it is named", { contentType: "application/protobuf; messageType=Order" }],
    ["it is a name of Object.prototype", { contentType: "application/protobuf; messageType=constructor" }],
    ["the application property is not a text", { applicationProperties: { "sobre-type": 5 } }],
  ])("is never guessed when %s", (_, said) => {
    const { decode, encode } = calls({ protos });

    expect(failure(() => decode(order, said)).code).toBe("UnknownMessageType");
    expect(failure(() => encode({}, said)).code).toBe("UnknownMessageType");
  });
});

describe("the schema", () => {
  it("may be several files that import each other and Google's own", () => {
    const files = {
      "order.proto":
        'syntax = "proto3"; import "lib/money.proto"; import "google/protobuf/timestamp.proto"; message Order { Money total = 1; google.protobuf.Timestamp at = 2; }',
      "lib/money.proto":
        'syntax = "proto3"; import "google/protobuf/timestamp.proto"; message Money { int64 cents = 1; }',
    };
    const body = { total: { cents: 5n }, at: { seconds: 1_700_000_000n, nanos: 1 } };
    const { encode, decode } = calls({ protos: files, type: "Order" });

    expect(decode(encode(body)).body).toEqual(body);
  });

  it("may be a Root of protobufjs or its JSON", () => {
    const { root } = protobufjs.parse(protos);

    expect(calls({ root, type: "acme.Order" }).decode(order).body).toEqual({ id: "x" });
    expect(calls({ descriptor: root.toJSON(), type: "acme.Order" }).decode(order).body).toEqual({ id: "x" });
  });

  it("gives fields their names in lowerCamelCase, or as written", () => {
    const snake = 'syntax = "proto3"; message M { int32 line_count = 1; }';

    expect(calls({ protos: snake, type: "M" }).decode(hex("08 02")).body).toEqual({ lineCount: 2 });
    expect(calls({ protos: snake, type: "M", keepCase: true }).decode(hex("08 02")).body).toEqual({ line_count: 2 });
  });

  it("may have fields with the names of Object.prototype", () => {
    const { encode, decode } = calls({
      protos:
        'syntax = "proto3"; message M { optional int32 constructor = 1; optional string toString = 2; repeated int32 valueOf = 3; }',
      type: "M",
    });

    expect(decode(encode({ constructor: 1 })).body).toEqual({ constructor: 1, valueOf: [] });
    expect(decode(encode({})).body).toEqual({ valueOf: [] });
  });

  it.each([
    ["no schema", {}],
    ["two schemas", { protos, descriptor: {} }],
    ["a text that is none", { protos: "message {" }],
    ["an import that is missing", { protos: 'syntax = "proto3"; import "nowhere.proto";' }],
    ["a field of an unknown type", { protos: 'syntax = "proto3"; message M { Nobody n = 1; }' }],
    ["a type that is not in it", { protos, type: "acme.Nobody" }],
    ["a type that is not a text", { protos, ...Object.fromEntries([["type", 5]]) }],
    ["a schema that is none", Object.fromEntries([["protos", 5]])],
  ])("is refused: %s", (_, options) => {
    expect(failure(() => protobuf(options)).code).toBe("InvalidArgument");
  });

  it("cannot smuggle code in through its names", () => {
    const name = 'x"]);globalThis.smuggled=1;([" %d \u2028';
    const descriptor = { nested: { M: { fields: { [name]: { type: "string", id: 1 } } } } };

    const { encode, decode } = calls({ descriptor, type: "M" });

    expect(decode(encode({ [name]: "y" })).body).toEqual({ [name]: "y" });
    expect("smuggled" in globalThis).toBe(false);
  });
});

describe("sniffing Protobuf", () => {
  it.each([
    ["a tag", "0a 01 78", "weak"],
    ["no bytes", "", "weak"],
    ["field number 0", "02", "no"],
    ["an end of a group", "0c", "no"],
    ["a wire type there is not", "0f", "no"],
  ])("takes %s as it should", (_, payload, sniff) => {
    expect(protobuf({ protos }).sniff?.(hex(payload))).toBe(sniff);
  });
});
