import { messageProperties } from "../../core/message/message-properties.ts";
import { deadLetterReasons } from "./dead-letter-reasons.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { checkOption, checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { finiteDuration } from "../../core/options/duration-option.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";

/** How a processor retries messages whose handler failed. */
export interface MessageRetries {
  /** Redeliveries without a delay, in the first round and after each delay. Default: 0. */
  readonly immediate?: number | undefined;
  /**
   * The waits before further rounds, e.g. `["10s", "1m"]`. The message is not locked meanwhile. Default: none.
   */
  readonly delayed?: readonly DurationLike[] | undefined;
  /** The largest random share by which a wait is prolonged, from 0 to 1. Default: 0.05. */
  readonly jitter?: number | undefined;
  /**
   * Whether to retry after this error; otherwise the message is dead-lettered. Default: unless the error's property
   * `retryable` is false.
   */
  readonly retryable?: ((error: unknown, message: Delivery) => boolean) | undefined;
}

/** The option `retries` of a processor. */
export interface ProcessorRetries extends MessageRetries {
  /** Other retries for messages of these types, by the name of the message type: one of `messageTypes`, if given. */
  readonly types?: Readonly<Record<string, MessageRetries>> | undefined;
}

/** The option `retries` of a session processor. */
export interface SessionRetries extends ProcessorRetries {
  /**
   * Whether a session also waits behind a message that the processor has dead-lettered, until that one is re-driven.
   * Default: false.
   */
  readonly holdSession?: boolean | undefined;
}

/** The treatment of a message whose handler failed. */
export type RetryPlan =
  | {
      readonly kind: "immediate" | "delayed";
      readonly delay: number;
      readonly immediate: number;
      readonly delayed: number;
    }
  | { readonly kind: "giveUp"; readonly reason: string; readonly description: string };

/** Decides by error and message on the treatment of a message whose handler failed. */
export type RetryPolicy = (error: unknown, message: Delivery, messageType: string | undefined) => RetryPlan;

const ownChecks: OptionChecks<MessageRetries> = {
  immediate: is.countFrom(0),
  delayed: (value) => (Array.isArray(value) ? undefined : 'must be a list of waits, e.g. ["10s", "1m"]'),
  jitter: (value) =>
    typeof value === "number" && value >= 0 && value <= 1 ? undefined : "must be a number from 0 to 1",
  retryable: is.aFunction,
};

const processorRetriesChecks: OptionChecks<ProcessorRetries> = { ...ownChecks, types: is.object };
const sessionChecks: OptionChecks<SessionRetries> = { ...processorRetriesChecks, holdSession: is.flag };

/** {@link MessageRetries} with the defaults filled in and waits in milliseconds. */
interface Rules {
  readonly immediate: number;
  readonly delays: readonly number[];
  readonly jitter: number;
  readonly retryable: (error: unknown, message: Delivery) => boolean;
}

/** How the option `retries` treats messages. */
export interface ReadRetries {
  readonly plan: RetryPolicy;
  /** Whether messages are made to wait. */
  readonly waits: boolean;
  /** Milliseconds that all waits of a message take at most. */
  readonly horizon: number;
}

/** Reads the option `retries`. @throws SobreError `InvalidArgument` naming the option. */
export function readRetries(
  retries: SessionRetries,
  inSessions: boolean,
  messageTypes: readonly MessageType[] | undefined,
): ReadRetries {
  const general = rulesOf(retries, inSessions ? sessionChecks : processorRetriesChecks, "retries.");
  const names = messageTypes?.map(({ name }) => name);
  const surplus = names && Object.keys(retries.types ?? {}).find((name) => !names.includes(name));
  if (surplus !== undefined)
    throw invalidOption(`retries.types.${surplus}`, "is not the name of one of the messageTypes");
  const types = new Map<string | undefined, Rules>(
    Object.entries(retries.types ?? {}).map(([name, own]) => [name, rulesOf(own, ownChecks, `retries.types.${name}.`)]),
  );
  const all = [general, ...types.values()];
  return {
    plan: (error, message, messageType) => planOf(types.get(messageType) ?? general, error, message),
    waits: retries.holdSession === true || all.some(({ delays }) => delays.length > 0),
    horizon: Math.max(...all.map(({ delays, jitter }) => delays.reduce((sum, delay) => sum + delay, 0) * (1 + jitter))),
  };
}

function rulesOf(
  retries: MessageRetries,
  known: Readonly<Record<string, (value: unknown) => string | undefined>>,
  prefix: string,
): Rules {
  checkOptions(retries, known, { prefix });
  const { immediate = 0, delayed = [], jitter = 0.05, retryable = isWorthRetrying } = retries;
  return {
    immediate,
    delays: delayed.map((delay, index) => readDelay(`${prefix}delayed[${index}]`, delay)),
    jitter,
    retryable,
  };
}

function readDelay(option: string, delay: DurationLike): number {
  checkOption(option, delay, finiteDuration);
  return toMilliseconds(delay, option);
}

function planOf({ immediate, delays, jitter, retryable }: Rules, error: unknown, message: Delivery): RetryPlan {
  const tried = countIn(message.envelope, messageProperties.immediateRetries);
  const waited = countIn(message.envelope, messageProperties.delayedRetries);
  const isWanted: unknown = retryable(error, message);
  // A promise would count as true.
  if (typeof isWanted !== "boolean")
    throw invalidOption("retries.retryable", "must return true or false, not a promise");
  if (!isWanted)
    return {
      kind: "giveUp",
      reason: deadLetterReasons.notRetryable,
      description: "The handler failed with an error that is not retried.",
    };
  if (tried < immediate) return { kind: "immediate", delay: 0, immediate: tried + 1, delayed: waited };
  const delay = delays[waited];
  if (delay !== undefined)
    return { kind: "delayed", delay: delay * (1 + jitter * Math.random()), immediate: 0, delayed: waited + 1 };
  const description = `The handler failed in every retry: ${immediate} immediate ones a round, ${delays.length} delayed ones.`;
  return { kind: "giveUp", reason: deadLetterReasons.retriesExhausted, description };
}

/** Errors of the client know it; others may say so. */
function isWorthRetrying(error: unknown): boolean {
  try {
    return !(typeof error === "object" && error !== null && Reflect.get(error, "retryable") === false);
  } catch {
    return true;
  }
}

function countIn({ applicationProperties }: Envelope, property: string): number {
  const count = Number(applicationProperties[property] ?? 0);
  return Number.isSafeInteger(count) && count >= 0 ? count : 0;
}
