import type { Message } from "../../core/codec/message.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { AbortOption } from "./attempts.ts";
import { codeOf } from "./process-error.ts";

/** Options of `sendMany`. */
export interface SendManyOptions extends AbortOption {
  /** The maximum number of concurrent sends. Default: 16. */
  readonly maxConcurrency?: number | undefined;
  /** Whether to reject, after all messages were tried, if any was not sent. Default: false. */
  readonly throwOnFailure?: boolean | undefined;
}

/** The outcome of sending one of many messages. */
export type SendOutcome = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

type Messages = Iterable<Message> | AsyncIterable<Message>;

const manyChecks: OptionChecks<SendManyOptions> = {
  maxConcurrency: is.countFrom(1),
  throwOnFailure: is.flag,
  abortSignal: is.abortSignal,
};

/** @throws SobreError `InvalidArgument` naming what is wrong. */
export function checkSendMany(messages: unknown, options: SendManyOptions): void {
  if (!isIterable(messages)) throw invalidOption("messages", "must be an iterable of messages");
  checkOptions(options, manyChecks);
}

function isIterable(value: unknown): boolean {
  return typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

function throwFailures(outcomes: readonly SendOutcome[]): void {
  const failures = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
  const [first] = failures;
  if (first === undefined) return;
  const why = first instanceof SobreError ? first.message : "an error other than SobreError was thrown.";
  throw new SobreError(
    codeOf(first),
    `${failures.length} of ${outcomes.length} messages were not sent. The first failure: ${why}`,
    { cause: outcomes },
  );
}

/**
 * Sends each message; resolves to the outcomes in their order. Reads the messages only as sends complete, so a long
 * stream is never held in memory.
 *
 * @throws SobreError with the code of the first failure, with `throwOnFailure`.
 */
export async function sendEach(
  messages: Messages,
  { maxConcurrency = 16, throwOnFailure = false }: SendManyOptions,
  send: (message: Message) => Promise<void>,
): Promise<readonly SendOutcome[]> {
  const outcomes: SendOutcome[] = [];
  const running = new Set<Promise<void>>();
  let index = 0;
  const start = async (message: Message, at: number): Promise<void> => {
    try {
      await send(message);
      outcomes[at] = { ok: true };
    } catch (error) {
      outcomes[at] = { ok: false, error };
    }
  };
  try {
    for await (const message of messages) {
      const sending = start(message, index++).finally(() => running.delete(sending));
      running.add(sending);
      if (running.size >= maxConcurrency) await Promise.race(running);
    }
  } finally {
    await Promise.all(running);
  }
  if (throwOnFailure) throwFailures(outcomes);
  return outcomes;
}
