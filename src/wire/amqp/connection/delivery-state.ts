import type { AmqpMap } from "../../../core/values/typed.ts";
import type { WireError } from "./wire-fault.ts";

/** How a delivery ended (AMQP 1.0 part 3.4). */
export type DeliveryOutcome =
  | { readonly kind: "accepted" }
  | { readonly kind: "rejected"; readonly error?: WireError | undefined }
  | { readonly kind: "released" }
  | {
      readonly kind: "modified";
      readonly deliveryFailed: boolean;
      readonly undeliverableHere: boolean;
      readonly annotations?: AmqpMap | undefined;
    }
  /** A transaction was begun (AMQP 1.0 part 4.5.6). */
  | { readonly kind: "declared"; readonly transactionId: Uint8Array };

/** An outcome that is pending in a transaction (AMQP 1.0 part 4.5.8). */
export interface Transactional {
  readonly kind: "transactional";
  readonly transactionId: Uint8Array;
  readonly outcome?: DeliveryOutcome | undefined;
}

/** The state of a delivery in a disposition: an outcome, or one that is pending in a transaction. */
export type DeliveryState = DeliveryOutcome | { readonly kind: "received" } | Transactional;

export const accepted: DeliveryOutcome = { kind: "accepted" };
