import type { MaybePromise } from "../../core/message/schema.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOption, checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { durationFrom } from "../../core/options/duration-option.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { pause } from "../../core/time/pause.ts";
import { isObject } from "../../core/values/plain-object.ts";
import { throwIfAborted } from "./attempts.ts";
import type { Inbox } from "./inbox.ts";
import type { ReceivedMessage } from "./received-message.ts";

/** Options of {@link idempotent}. */
export interface IdempotentOptions<Message> {
  /**
   * The identity of a message, a non-empty string. Default: the message id, or the sequence number if there is none.
   */
  readonly key?: ((message: Message) => string) | undefined;
  /**
   * How long a message is claimed at a time; renewed while its handler runs. After a process was killed, its message waits
   * as long. At least 1 ms, and at least the `lockDuration` of the entity. Default: 5 minutes, the longest lock of Service
   * Bus.
   */
  readonly claimDuration?: DurationLike | undefined;
  /** For renewing and waiting. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** The claim of a handler on its message. */
export interface InboxClaim<Transaction> {
  /**
   * Remembers the message as handled in your transaction: with its other work, or not at all. Without it, the message
   * is remembered after the handler has resolved, and handled again if the process is killed in between.
   *
   * With `sqliteInbox` it has happened when the call returns: without an `await` no other handler can come in between.
   *
   * @throws SobreError `MessageLockLost` when another process has the message: roll back.
   */
  complete(transaction: Transaction): MaybePromise<void>;
}

const idempotentChecks: OptionChecks<IdempotentOptions<never>> = {
  key: is.aFunction,
  claimDuration: durationFrom(1),
  clock: is.clock,
};

const anInbox: is.OptionCheck = (value) =>
  is.methods("an inbox, e.g. memoryInbox()", "claim", "renew", "complete", "release")(value) ??
  is.having("an inbox", { retentionInMs: is.number })(value);

/** The longest lock of Service Bus, in milliseconds. */
const maxLockTime = 300_000;

/** Milliseconds between two looks at a message that another process handles; doubled up to the second. */
const firstLook = 20;
const maxLookTime = 1_000;

/** The inboxes of handlers, by handler. */
const inboxes = new WeakMap<object, Pick<Inbox, "retentionInMs">>();

/**
 * Makes a handler run once per message, whichever process receives it, even if it is redelivered because completing it
 * failed, or comes back as a copy with the same message id.
 *
 * A message that is handled elsewhere waits until that handler ends, or its claim is over. A handler that rejected is
 * run again.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 * @example
 * ```ts
 * const inbox = memoryInbox();
 * const processor = client.startProcessor("orders", {
 *   processMessage: idempotent(inbox, ({ body }) => console.log("once", body)),
 *   processError: ({ error }) => console.error(error),
 * });
 * await processor.close();
 * ```
 */
export function idempotent<Message extends ReceivedMessage, Context, Transaction = never>(
  inbox: Inbox<Transaction>,
  handler: (message: Message, context: Context, claim: InboxClaim<Transaction>) => Promise<void> | void,
  options: IdempotentOptions<Message> = {},
): (message: Message, context: Context) => Promise<void> {
  checkOption("inbox", inbox, anInbox);
  checkOption("handler", handler, is.aFunction);
  checkOptions(options, idempotentChecks);
  const { key = keyOf, clock = systemClock } = options;
  const claimDuration = toMilliseconds(options.claimDuration ?? maxLockTime, "claimDuration");
  if (inbox.retentionInMs < claimDuration)
    throw invalidOption("claimDuration", `must not exceed the retention of the inbox, ${inbox.retentionInMs} ms`);
  const running = new Map<string, Promise<void>>();
  const handle = async (id: string, message: Message, context: Context): Promise<void> => {
    const claim = new OpenClaim(inbox, id, clock, Math.max(claimDuration, lockOf(message, clock)));
    try {
      if (!(await claim.take(signalOf(context)))) return;
      await handler(message, context, claim);
      await claim.end();
    } catch (error) {
      await claim.giveUp();
      throw error;
    } finally {
      claim.stop();
    }
  };
  const once = async (message: Message, context: Context): Promise<void> => {
    const id = key(message);
    // All messages without a key would count as one message, handled once.
    checkOption("key", id, givesText);
    for (let other = running.get(id); other !== undefined; other = running.get(id)) await other.catch(() => undefined);
    const own = handle(id, message, context).finally(() => running.delete(id));
    running.set(id, own);
    await own;
  };
  inboxes.set(once, inbox);
  return once;
}

/**
 * Refuses an inbox that forgets a message before its last retry.
 *
 * @param handlers A handler, or one for each message type.
 * @param horizon Milliseconds from the first to the last delayed retry.
 * @throws SobreError `InvalidArgument`.
 */
export function checkRetention(handlers: unknown, horizon: number): void {
  for (const handler of isObject(handlers) ? Object.values(handlers) : [handlers]) {
    const inbox = typeof handler === "function" ? inboxes.get(handler) : undefined;
    if (inbox !== undefined && inbox.retentionInMs < horizon)
      throw invalidOption(
        "retries.delayed",
        `takes up to ${Math.ceil(horizon)} ms, and the inbox of the handler forgets messages after ${inbox.retentionInMs} ms: set its retention higher`,
      );
  }
}

/** A claim on one message. */
class OpenClaim<Transaction> implements InboxClaim<Transaction> {
  readonly #inbox: Inbox<Transaction>;
  readonly #key: string;
  readonly #owner = crypto.randomUUID();
  readonly #clock: Clock;
  readonly #duration: number;
  readonly #stop = new AbortController();
  #isComplete = false;

  constructor(inbox: Inbox<Transaction>, key: string, clock: Clock, duration: number) {
    this.#inbox = inbox;
    this.#key = key;
    this.#clock = clock;
    this.#duration = duration;
  }

  /** Resolves to whether the message is to be handled; waits while another process handles it. */
  async take(signal: AbortSignal | undefined): Promise<boolean> {
    for (let look = firstLook; ; look = Math.min(2 * look, maxLookTime)) {
      // Its message may have been given up while it waited, here or for a copy in this process.
      throwIfAborted(signal);
      const answer = await this.#inbox.claim(this.#key, this.#owner, this.#duration);
      if (answer === "handled") return false;
      if (answer === "claimed") break;
      await pause(this.#clock, look, signal);
    }
    void this.#renew();
    return true;
  }

  complete(transaction: Transaction): MaybePromise<void> {
    this.stop();
    const completing = this.#inbox.complete(this.#key, this.#owner, transaction);
    return completing instanceof Promise
      ? completing.then((isOwn) => this.#completed(isOwn))
      : this.#completed(completing);
  }

  /** Completes it unless the handler has. */
  async end(): Promise<void> {
    this.stop();
    if (!this.#isComplete && !(await this.#inbox.complete(this.#key, this.#owner))) throw lost();
  }

  /** The handler's error counts, not one of the store: without an answer, the claim runs out. */
  async giveUp(): Promise<void> {
    this.stop();
    try {
      await this.#inbox.release(this.#key, this.#owner);
    } catch {
      // Others wait until the claim is over.
    }
  }

  /** Stops renewing. */
  stop(): void {
    this.#stop.abort();
  }

  #completed(isOwn: boolean): void {
    if (!isOwn) throw lost();
    this.#isComplete = true;
  }

  async #renew(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await pause(this.#clock, this.#duration / 3, signal);
      if (signal.aborted) return;
      try {
        // A handler whose claim is lost finds out when it completes the message.
        if (!(await this.#inbox.renew(this.#key, this.#owner, this.#duration))) return;
      } catch {
        // The next renewal may succeed; the claim lasts for two more.
      }
    }
  }
}

const lost = (): SobreError =>
  new SobreError(
    "MessageLockLost",
    "The claim on the message was over before its handler ended, and another process has it. Roll back what the handler did.",
  );

const givesText: is.OptionCheck = (value) =>
  is.name(value) === undefined ? undefined : "must return a non-empty string for every message";

function keyOf({ messageId, sequenceNumber }: ReceivedMessage): string {
  if (messageId === undefined) return `sequence:${sequenceNumber}`;
  return messageId instanceof Uint8Array ? `bytes:${messageId.join(",")}` : `id:${String(messageId)}`;
}

/** Milliseconds until the broker's lock ends: never more than the longest one, whatever this clock says. */
const lockOf = ({ lockedUntilUtc }: ReceivedMessage, clock: Clock): number =>
  lockedUntilUtc === undefined ? 0 : Math.min(lockedUntilUtc.getTime() - clock.now(), maxLockTime);

function signalOf(context: unknown): AbortSignal | undefined {
  const signal: unknown = isObject(context) ? Reflect.get(context, "abortSignal") : undefined;
  return signal instanceof AbortSignal ? signal : undefined;
}
