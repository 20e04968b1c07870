import type { LockToken } from "../../../src/core/engine/delivery.ts";
import type { Envelope } from "../../../src/core/envelope/envelope.ts";
import { describe, type Effects, type Seen } from "./acknowledgements.ts";

/** A message that its caller knows. */
export interface Known {
  readonly address: string;
  readonly id: string;
  readonly seen: Seen;
  readonly number: bigint;
  readonly token: LockToken | undefined;
}

const fresh: Seen = { state: "active", deliveryCount: 0, delivered: false, mark: "" };
export const deadOf = (address: string): string => `${address}/$DeadLetterQueue`;
export const named = ({ address, id }: Pick<Known, "address" | "id">): string => `message ${address} ${id}`;
export const effect = (one: Known, change: Partial<Seen>): Effects => ({
  [named(one)]: describe({ ...one.seen, ...change }),
});
export const merged = (all: readonly Effects[]): Effects =>
  Object.fromEntries(all.flatMap((one) => Object.entries(one)));
export const gone = (...all: readonly Pick<Known, "address" | "id">[]): Effects =>
  Object.fromEntries(all.map((one) => [named(one), ""]));

export const idOf = ({ brokerProperties }: Envelope): string => String(brokerProperties.messageId);
export const arrived = (address: string, message: Envelope, seen: Partial<Seen> = {}): Known => ({
  address,
  id: idOf(message),
  seen: { ...fresh, ...seen },
  number: 0n,
  token: undefined,
});

/** The effects of a send of new messages. */
export const arrival = (all: readonly Known[]): Effects =>
  merged(all.map((one) => ({ [named(one)]: describe(one.seen), [`seen ${one.address} ${one.id}`]: "1" })));
