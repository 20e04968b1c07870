import type { Delivery } from "../../engine/delivery.ts";

/** What a broker says about a message; a whole `Delivery` will do. */
export type DeliveryFacts = Omit<Delivery, "envelope">;
