import { sameValue } from "../../broker/conformance/codec-equality.ts";
import type { MaybePromise } from "../../core/message/schema.ts";

/** A store that is tried. */
export interface OpenedStore<Store, Tx> {
  readonly store: Store;
  /** The same store, as another process has it. */
  readonly other: Store;
  /** Lets the store's time go on. */
  readonly advance: (milliseconds: number) => MaybePromise<void>;
  /** Runs work in a transaction of the caller's, and ends it. Leave it out when the store takes none. */
  readonly transaction?: (end: "commit" | "rollback", work: (transaction: Tx) => Promise<void>) => Promise<void>;
}

/** One promise of a store, checkable by any test runner. */
export interface StoreCase<Opened> {
  /** Short and stable. */
  readonly name: string;
  /** The promise of every implementation, in one sentence. */
  readonly promise: string;
  /** Whether it is about transactions, which some stores do not take. */
  readonly needsTransactions: boolean;
  /** Rejects with an `Error` that says how the promise was broken. */
  readonly run: (opened: Opened) => Promise<void>;
}

/** @throws Error unless both are the same. */
export function same(actual: unknown, wanted: unknown, what: string): void {
  if (!sameValue(actual, wanted)) throw new Error(`${what}: ${shown(wanted)} is promised, not ${shown(actual)}.`);
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? String(part) : part)) ?? "undefined";

/** Runs work in a transaction of the caller's. */
export async function within<Tx>(
  opened: Pick<OpenedStore<unknown, Tx>, "transaction">,
  end: "commit" | "rollback",
  work: (transaction: Tx) => Promise<void>,
): Promise<void> {
  if (opened.transaction === undefined) throw new Error("The store was opened without transactions.");
  await opened.transaction(end, work);
}
