import type { MessageId } from "../../core/envelope/broker-properties.ts";
import { Typed } from "../../core/values/typed.ts";

/** Text that is equal for duplicates of a message: its id and, on partitioned entities, its partition key. */
export const duplicateKey = (messageId: MessageId, partitionKey: string | undefined): string =>
  `${keyOf(messageId)} ${partitionKey ?? ""}`;

/** Ids of different types are different ids: the text "1" is not the number 1. */
function keyOf(id: MessageId): string {
  if (typeof id === "string") return `s${id.length}:${id}`;
  if (id instanceof Uint8Array) return `b${id.join(",")}`;
  if (id instanceof Typed) return `u${id.value}`;
  return `n${id}`;
}
