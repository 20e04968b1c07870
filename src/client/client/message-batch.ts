import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Message } from "../../core/codec/message.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { sizeOf, sizeOfProperties } from "../../core/envelope/size-of.ts";
import type { MessageWriter } from "./message-writer.ts";
import { checkOption, invalidOption } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";

/** Messages for a single send, limited in size. */
export interface MessageBatch<Sent extends Message = Message> {
  readonly count: number;
  /** Exact size of the batch as one AMQP message, in bytes. */
  readonly sizeInBytes: number;
  readonly maxSizeInBytes: number;
  /** The serialized messages added so far. */
  readonly envelopes: readonly Envelope[];
  /**
   * Serializes the message and adds it if it fits; otherwise returns `false` and leaves the batch unchanged.
   *
   * @throws SobreError what the message type and the serializer throw; `InvalidOperation` when a stage or schema is
   * asynchronous, or an `addMessage` is pending: then use {@link MessageBatch.addMessage}.
   * @example
   * ```ts
   * const batch = await sender.createMessageBatch({ maxSizeInBytes: 1_024 });
   * console.log(batch.tryAddMessage({ body: "small" }), batch.tryAddMessage({ body: "x".repeat(2_000) })); // true false
   * ```
   */
  tryAddMessage(message: Sent): boolean;
  /**
   * Like {@link MessageBatch.tryAddMessage}, but waits for stages, schemas and pending `addMessage` calls.
   *
   * @throws SobreError what the message type, the serializer or a stage throws.
   */
  addMessage(message: Sent): Promise<boolean>;
}

/** @throws SobreError `InvalidArgument` when `maxSizeInBytes` exceeds the limit of the entity. */
export function createBatch(
  write: MessageWriter,
  maxMessageSize: number,
  maxSizeInBytes: number = maxMessageSize,
): MessageBatch {
  checkOption("maxSizeInBytes", maxSizeInBytes, is.countFrom(1));
  if (maxSizeInBytes > maxMessageSize) {
    throw invalidOption("maxSizeInBytes", `must be at most ${maxMessageSize}, the limit of the entity`);
  }
  const envelopes: Envelope[] = [];
  let size = 0;
  let last: Promise<unknown> = Promise.resolve();
  let adding = 0;
  const add = (envelope: Envelope): boolean => {
    const grown = (envelopes.length === 0 ? frameSize(envelope) : size) + sectionSize(envelope);
    if (grown > maxSizeInBytes) return false;
    envelopes.push(envelope);
    size = grown;
    return true;
  };
  return {
    maxSizeInBytes,
    envelopes,
    get count() {
      return envelopes.length;
    },
    get sizeInBytes() {
      return size;
    },
    tryAddMessage(message) {
      if (adding > 0) throw mustWait("another message is being added");
      const envelope = write(message);
      if (!(envelope instanceof Promise)) return add(envelope);
      envelope.catch(() => undefined);
      throw mustWait("a stage or schema of this message is asynchronous");
    },
    addMessage(message) {
      adding++;
      const added = last.then(async () => add(await write(message))).finally(() => adding--);
      last = added.catch(() => undefined);
      return added;
    },
  };
}

/** The size of what the batch repeats from its first message: ids and partition key. */
function frameSize({ brokerProperties }: Envelope): number {
  const { messageId, sessionId, partitionKey } = brokerProperties;
  return sizeOfProperties(
    {
      ...(messageId !== undefined && { messageId }),
      ...(sessionId !== undefined && { sessionId }),
      ...(partitionKey !== undefined && { partitionKey }),
    },
    {},
  );
}

/** Each message is a data section: descriptor, binary header with a length of one or four bytes, encoded message. */
function sectionSize(envelope: Envelope): number {
  const size = sizeOf(envelope);
  return 3 + (size <= 0xff ? 2 : 5) + size;
}

const mustWait = (why: string): SobreError =>
  new SobreError("InvalidOperation", `tryAddMessage is synchronous, but ${why}. Use await batch.addMessage(message).`);

/** Whether the value was created by `createMessageBatch`. */
export function isBatch(messages: object): messages is MessageBatch {
  return "tryAddMessage" in messages;
}
