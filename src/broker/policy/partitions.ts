import { batchOfManyKeys } from "../../core/engine/refusals.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { SendableEntity } from "./entities.ts";

/** Partitions of a partitioned entity. */
export const partitionCount = 16;

/** The key that determines the partition of a message: its session id if it has one, otherwise its partition key. */
export const partitionKeyOf = ({
  brokerProperties: { sessionId, partitionKey },
}: Pick<Envelope, "brokerProperties">): string | undefined => sessionId ?? partitionKey;

/** The partition of a key: the same key is always in the same partition. */
export const partitionOfKey = (key: string): number => hash(key) % partitionCount;

/** Whether a message has a session id and a different partition key. */
export function hasUnequalKeys({ brokerProperties: { sessionId, partitionKey } }: Envelope): boolean {
  return sessionId !== undefined && partitionKey !== undefined && sessionId !== partitionKey;
}

/** The keys by which a partitioned entity places messages. */
function batchKeyOf(
  { settings }: SendableEntity<unknown>,
  { brokerProperties }: Envelope,
  isTransfer: boolean,
): string | undefined {
  const { viaPartitionKey, messageId } = brokerProperties;
  const key = isTransfer ? viaPartitionKey : partitionKeyOf({ brokerProperties });
  // Where duplicates are detected, the message id stands in for the key.
  return key ?? (settings.requiresDuplicateDetection && messageId !== undefined ? String(messageId) : undefined);
}

/**
 * Checks that the messages of a batch are all of one key, if the entity that accepts them is partitioned: the whole batch goes
 * to one partition.
 *
 * @throws SobreError `InvalidOperation`.
 */
export function checkBatchKeys(
  entity: SendableEntity<unknown>,
  envelopes: readonly Envelope[],
  isTransfer: boolean,
): void {
  const [first] = envelopes;
  if (!entity.settings.enablePartitioning || first === undefined || envelopes.length === 1) return;
  const key = batchKeyOf(entity, first, isTransfer);
  if (envelopes.some((envelope) => batchKeyOf(entity, envelope, isTransfer) !== key))
    throw batchOfManyKeys(entity.address);
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value ^ (value >>> 16)) >>> 0;
}
