import type { MaybePromise } from "../message/schema.ts";
import type { ReceivedMessage } from "./received-message.ts";
import {
  aFunction,
  checkOption,
  checkOptions,
  countFrom,
  methods,
  name,
  type OptionCheck,
  type OptionChecks,
} from "../options/option-checks.ts";

/**
 * Remembers which messages have been handled. Handlers that do different work need stores, or keys, of their own: a message
 * that one of them has handled is known to all that ask by the same key.
 */
export interface IdempotencyStore {
  has(key: string): MaybePromise<boolean>;
  /** Called when the handler has resolved; best in the transaction of what the handler did. */
  add(key: string): MaybePromise<void>;
}

/** Options of {@link idempotent}. */
export interface IdempotentOptions<Message> {
  /**
   * The identity of a message, as non-empty text. Default: the message id, or the sequence number where
   * there is none.
   */
  readonly key?: ((message: Message) => string) | undefined;
}

const checks: OptionChecks<IdempotentOptions<never>> = { key: aFunction };

/**
 * A handler that runs once per message, though it is delivered again because completing it failed.
 *
 * Deliveries of one message that overlap wait for the first. A handler that rejects is run again.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 * @example
 * ```ts
 * const store = memoryIdempotencyStore();
 * const processor = client.startProcessor("orders", {
 *   processMessage: idempotent(store, ({ body }) => console.log("once", body)),
 *   processError: ({ error }) => console.error(error),
 * });
 * await processor.close();
 * ```
 */
export function idempotent<Message extends ReceivedMessage, Context>(
  store: IdempotencyStore,
  handler: (message: Message, context: Context) => Promise<void> | void,
  options: IdempotentOptions<Message> = {},
): (message: Message, context: Context) => Promise<void> {
  checkOption("store", store, methods("a store with has and add", "has", "add"));
  checkOption("handler", handler, aFunction);
  checkOptions(options, checks);
  const { key = keyOf } = options;
  const running = new Map<string, Promise<void>>();
  const handle = async (id: string, message: Message, context: Context): Promise<void> => {
    if (await store.has(id)) return;
    await handler(message, context);
    await store.add(id);
  };
  return async (message, context) => {
    const id = key(message);
    // Everything without a key would be one message, handled once.
    checkOption("key", id, givesText);
    for (let other = running.get(id); other !== undefined; other = running.get(id)) await other.catch(() => undefined);
    const own = handle(id, message, context).finally(() => running.delete(id));
    running.set(id, own);
    await own;
  };
}

const givesText: OptionCheck = (value) =>
  name(value) === undefined ? undefined : "must give text that is not empty for every message";

function keyOf({ messageId, sequenceNumber }: ReceivedMessage): string {
  if (messageId === undefined) return `sequence:${sequenceNumber}`;
  return messageId instanceof Uint8Array ? `bytes:${messageId.join(",")}` : `id:${String(messageId)}`;
}

export interface MemoryIdempotencyStoreOptions {
  readonly capacity?: number | undefined;
}

const storeChecks: OptionChecks<MemoryIdempotencyStoreOptions> = { capacity: countFrom(1) };

/**
 * A store in memory of the latest `capacity` keys, for one process; default: 10,000.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 * @example
 * ```ts
 * const store = memoryIdempotencyStore({ capacity: 10_000 });
 * await store.add("order-7");
 * console.log(await store.has("order-7")); // true
 * ```
 */
export function memoryIdempotencyStore(options: MemoryIdempotencyStoreOptions = {}): IdempotencyStore {
  checkOptions(options, storeChecks);
  const { capacity = 10_000 } = options;
  const keys = new Set<string>();
  return {
    has: (key) => keys.has(key),
    add(key) {
      keys.add(key);
      const [oldest] = keys;
      if (keys.size > capacity && oldest !== undefined) keys.delete(oldest);
    },
  };
}
