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
 * Remembers which messages have been handled. Handlers that do different work need separate stores or keys: a key is
 * either handled or not, whichever handler added it.
 */
export interface IdempotencyStore {
  has(key: string): MaybePromise<boolean>;
  /** Called when the handler has resolved; ideally in the same transaction as the handler's work. */
  add(key: string): MaybePromise<void>;
}

/** Options of {@link idempotent}. */
export interface IdempotentOptions<Message> {
  /**
   * The identity of a message, a non-empty string. Default: the message id, or the sequence number if there is none.
   */
  readonly key?: ((message: Message) => string) | undefined;
}

const checks: OptionChecks<IdempotentOptions<never>> = { key: aFunction };

/**
 * Makes a handler run once per message, even if the message is redelivered because completing it failed.
 *
 * Concurrent deliveries of one message wait for the first. A handler that rejected is run again.
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
  checkOption("store", store, methods("a store with the methods has and add", "has", "add"));
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
    // All messages without a key would count as one message, handled once.
    checkOption("key", id, givesText);
    for (let other = running.get(id); other !== undefined; other = running.get(id)) await other.catch(() => undefined);
    const own = handle(id, message, context).finally(() => running.delete(id));
    running.set(id, own);
    await own;
  };
}

const givesText: OptionCheck = (value) =>
  name(value) === undefined ? undefined : "must return a non-empty string for every message";

function keyOf({ messageId, sequenceNumber }: ReceivedMessage): string {
  if (messageId === undefined) return `sequence:${sequenceNumber}`;
  return messageId instanceof Uint8Array ? `bytes:${messageId.join(",")}` : `id:${String(messageId)}`;
}

export interface MemoryIdempotencyStoreOptions {
  readonly capacity?: number | undefined;
}

const storeChecks: OptionChecks<MemoryIdempotencyStoreOptions> = { capacity: countFrom(1) };

/**
 * An in-memory store of the latest `capacity` keys (default: 10,000), for one process.
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
