import { describe, expect, it } from "vitest";
import { placeInText } from "../../src/contract/report/place-in-text.ts";

const proto = `syntax = "proto3";
// message Order of the shop.orders: id, note
package shop.orders;

message Line { string note = 1; /* id = 3 */ }

message Order {
  option (about) = { id: 1 };
  string text = 1 [json_name = "id"];
  oneof who {
    string id = 2;
  }
  enum State { NEW = 0; LATE = -1; }
  message Part { map<string, int32> sizes = 7; }
}

service Orders { rpc Send (Order) returns (Line) {} }
`;

const json = `{
  "a/b": { "properties": { "x": 1, "y": [true, { "type": "string" }] } }
}`;

/** The text from the place on. */
function textAt(text: string, pointer: string): string {
  const { line, column } = placeInText(text, pointer);
  return (text.split("\n")[line - 1] ?? "").slice(column - 1);
}

describe("the place of a finding", () => {
  it.each([
    ["shop.orders.Order", "Order {"],
    ["shop.orders.Order.id", "id = 2"],
    ["shop.orders.Order.State.LATE", "LATE = -1"],
    ["shop.orders.Order.Part.sizes", "sizes = 7"],
    ["shop.orders.Orders.Send", "Send ("],
    ["shop.orders.Order.gone", "Order {"],
    ["shop.orders.Order.State.GONE", "State {"],
    ["shop.orders.Gone.id", 'syntax = "proto3"'],
    ["", 'syntax = "proto3"'],
  ])("in a .proto file is the declaration of %s, and never a comment", (name, text) => {
    const found = textAt(proto, name);

    expect(found).toMatch(new RegExp(`^${text.replaceAll(/[({]/g, "\\$&")}`));
  });

  it.each([
    ["#/a~1b/properties/y/1/type", '"type"'],
    ["#/a~1b/properties/y/0", "true"],
    ["#/a~1b/properties/gone", '"properties"'],
    ["#", "{"],
  ])("in a JSON Schema is the member or item at %s", (pointer, text) => {
    const found = textAt(json, pointer);

    expect(found.startsWith(text)).toBe(true);
  });
});
