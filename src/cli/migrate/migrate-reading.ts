import type { Serializer } from "../../core/codec/serializer.ts";
import { commandSerializer, type PayloadHints } from "../codecs.ts";

/** The hints of a migration, in a form that can be sent to a thread. */
export type MigrateHints = Pick<PayloadHints, "contracts" | "timeZone" | "unwrapBytes" | "jsonNet" | "limits">;

/** How `sobre migrate` reads, in each of its threads. */
export async function reading(
  hints: MigrateHints,
): Promise<{ readonly serializer: Serializer; readonly hasContract: () => boolean }> {
  // A queue holds JSON of many types.
  const serializer = await commandSerializer({ ...hints, jsonIsOfContract: false });
  // The readers decide to which payloads their contracts apply.
  return { serializer, hasContract: () => (hints.contracts ?? []).length > 0 };
}
