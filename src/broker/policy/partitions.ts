import type { Envelope } from "../../core/envelope/envelope.ts";

/** Partitions of a partitioned entity. */
export const partitionCount = 16;

/** The key that determines the partition of a message: its session id if it has one, otherwise its partition key. */
export const partitionKeyOf = ({ brokerProperties: { sessionId, partitionKey } }: Envelope): string | undefined =>
  sessionId ?? partitionKey;

/** The partition of a key: the same key is always in the same partition. */
export const partitionOfKey = (key: string): number => hash(key) % partitionCount;

/** Whether a message has a session id and a different partition key. */
export function hasUnequalKeys({ brokerProperties: { sessionId, partitionKey } }: Envelope): boolean {
  return sessionId !== undefined && partitionKey !== undefined && sessionId !== partitionKey;
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value ^ (value >>> 16)) >>> 0;
}
