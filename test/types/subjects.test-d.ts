import { describe, expectTypeOf, it } from "vitest";
import { readMessageType } from "../../src/contract/index.ts";
import { jsonSchema } from "../../src/core/json-schema/index.ts";
import { type BodyOf, defineMessage, messageTypeFromFiles } from "../../src/core/message/index.ts";
import type { OrdersPlaced, ParcelScannedV1, StockMoved } from "./subjects.support.ts";
import imported from "../../schemas/parcel.scanned/1.1.schema.json" with { type: "json" };

describe("the module that sobre contract types writes", () => {
  it("types what readMessageType and messageTypeFromFiles read", () => {
    const Placed = readMessageType("schemas", "orders.placed");
    const Scanned = messageTypeFromFiles("parcel.scanned", { "1.1.schema.json": imported });

    expectTypeOf<BodyOf<typeof Placed>>().toEqualTypeOf<OrdersPlaced>();
    expectTypeOf<BodyOf<typeof Scanned>>().toEqualTypeOf<ParcelScannedV1>();
    expectTypeOf(Placed.name).toEqualTypeOf<"orders.placed">();
  });

  it("types an imported schema", () => {
    const Scanned = defineMessage("parcel.scanned", { 1: jsonSchema<ParcelScannedV1>(imported) });

    expectTypeOf<BodyOf<typeof Scanned>>().toEqualTypeOf<ParcelScannedV1>();
  });

  it("leaves other subjects to the one who reads them", () => {
    const Known = readMessageType<{ readonly id: string }>("schemas", "another");
    const Unknown = readMessageType("schemas", "another");

    expectTypeOf<BodyOf<typeof Known>>().toEqualTypeOf<{ readonly id: string }>();
    expectTypeOf<BodyOf<typeof Unknown>>().toEqualTypeOf<unknown>();
  });

  it("has the members of a message of Protobuf as the codec reads them", () => {
    expectTypeOf<StockMoved["quantity"]>().toEqualTypeOf<bigint>();
    expectTypeOf<StockMoved["warehouse"]>().toEqualTypeOf<string | undefined>();
  });
});
