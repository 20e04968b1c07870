// The contracts between the services: one type for each message, with a schema that both ends check.
import { defineMessage, type MessageType } from "sobre";
import { jsonSchema } from "sobre/json-schema";

export interface Order {
  readonly orderId: string;
  readonly cents: number;
}

const order = jsonSchema({
  type: "object",
  properties: { orderId: { type: "string" }, cents: { type: "integer", minimum: 1 } },
  required: ["orderId", "cents"],
});

export const OrderPlaced: MessageType<"shop.order-placed", Order> = defineMessage("shop.order-placed", { 1: order });
export const PaymentTaken: MessageType<"shop.payment-taken", Order> = defineMessage("shop.payment-taken", { 1: order });
export const OrderShipped: MessageType<"shop.order-shipped", Order> = defineMessage("shop.order-shipped", { 1: order });

/** Every queue of the shop; the entities of a broker, and of the memory engine. */
export const queues = {
  orders: { lockDuration: 1_000, maxDeliveryCount: 1_000 },
  payments: { lockDuration: 1_000, maxDeliveryCount: 1_000 },
  shipping: { lockDuration: 1_000, maxDeliveryCount: 1_000 },
  shipped: {},
} as const;
