import { SobreError } from "../errors/sobre-error.ts";
import type { Message } from "../codec/message.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { sizeOf, sizeOfProperties } from "../envelope/size-of.ts";
import type { MessageWriter } from "./message-writer.ts";
import { checkOption, countFrom, invalidOption } from "../options/option-checks.ts";

/** Messages that go in one send, within a size. */
export interface MessageBatch {
  readonly count: number;
  /** Bytes of the batch as one AMQP message, exactly. */
  readonly sizeInBytes: number;
  readonly maxSizeInBytes: number;
  /** The messages that were added, serialized. */
  readonly envelopes: readonly Envelope[];
  /**
   * Serializes the message and adds it if it fits; `false` leaves the batch as it was.
   *
   * @throws SobreError what the message type and the serializer throw; `InvalidOperation` where a stage or a schema is
   *   asynchronous, or an `addMessage` is under way: use {@link MessageBatch.addMessage} there.
   * @example
   * ```ts
   * const batch = await sender.createMessageBatch({ maxSizeInBytes: 1_024 });
   * console.log(batch.tryAddMessage({ body: "small" }), batch.tryAddMessage({ body: "x".repeat(2_000) })); // true false
   * ```
   */
  tryAddMessage(message: Message): boolean;
  /**
   * {@link MessageBatch.tryAddMessage} that waits for stages, schemas and the messages added before.
   *
   * @throws SobreError what the message type, the serializer or a stage throws.
   */
  addMessage(message: Message): Promise<boolean>;
}

/** @throws SobreError `InvalidArgument` when `maxSizeInBytes` is above what the entity takes. */
export function createBatch(
  write: MessageWriter,
  maxMessageSize: number,
  maxSizeInBytes: number = maxMessageSize,
): MessageBatch {
  checkOption("maxSizeInBytes", maxSizeInBytes, countFrom(1));
  if (maxSizeInBytes > maxMessageSize) {
    throw invalidOption("maxSizeInBytes", `must be at most ${maxMessageSize}, the most that the entity takes`);
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

/** Properties of the first message that the batch repeats: its ids and its partition key. */
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

/** Each message is a data section: descriptor, binary head of one or four bytes of length, and the encoded message. */
function sectionSize(envelope: Envelope): number {
  const size = sizeOf(envelope);
  return 3 + (size <= 0xff ? 2 : 5) + size;
}

const mustWait = (why: string): SobreError =>
  new SobreError("InvalidOperation", `tryAddMessage cannot wait, and ${why}. Use await batch.addMessage(message).`);

/** Whether what is to be sent was made by `createMessageBatch`. */
export function isBatch(messages: object): messages is MessageBatch {
  return "tryAddMessage" in messages;
}
