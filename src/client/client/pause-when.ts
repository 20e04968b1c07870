import type { Delivery } from "../../core/engine/delivery.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { finiteDuration } from "../../core/options/duration-option.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";

/** When a processor pauses because of failing handlers: a circuit breaker. */
export interface PauseWhen {
  /** After this many failures in a row. Default: 5, or 1 with `error`. */
  readonly consecutiveFailures?: number | undefined;
  /** When this share of the last `sampleSize` handlers has failed, above 0 and up to 1. Default: no such limit. */
  readonly failureRate?: number | undefined;
  /** How many of the last handlers `failureRate` looks at. Default: 20. */
  readonly sampleSize?: number | undefined;
  /** Which errors count as failures, e.g. those of a connection. Default: all. */
  readonly error?: ((error: unknown) => boolean) | undefined;
  /**
   * The first pause; it doubles with each trial that fails. Each pause is made longer or shorter by a random share of
   * up to 20 %. Default: 5 seconds.
   */
  readonly pause?: DurationLike | undefined;
  /** The longest pause before that share. Default: 1 minute. */
  readonly maxPause?: DurationLike | undefined;
}

const pauseWhenChecks: OptionChecks<PauseWhen> = {
  consecutiveFailures: is.countFrom(1),
  failureRate: (value) =>
    typeof value === "number" && value > 0 && value <= 1 ? undefined : "must be a number above 0 and up to 1",
  sampleSize: is.countFrom(1),
  error: is.aFunction,
  pause: finiteDuration,
  maxPause: finiteDuration,
};

/** The consequence of a failure for the processor and its message. */
export interface FailureVerdict {
  /** Whether the processor pauses. */
  readonly pauses: boolean;
  /** Whether the message is released, which counts no delivery, since the failure is not its own. */
  readonly spares: boolean;
}

const ordinary: FailureVerdict = { pauses: false, spares: false };
const outage: FailureVerdict = { pauses: true, spares: true };
const counted: FailureVerdict = { pauses: true, spares: false };

/** The maximum number of messages of failed trials that are remembered. */
const maxTriedMessages = 16;

/**
 * A circuit breaker: closed while handlers work, open during an outage, and closed again by a message that was handled
 * after a pause.
 *
 * Trials take other messages than earlier ones did, so that a message that fails every time cannot keep it open.
 */
export class Breaker {
  readonly #most: number;
  readonly #rate: number;
  readonly #outcomes: boolean[] = [];
  readonly #sampleSize: number;
  readonly #isFailure: (error: unknown) => boolean;
  readonly #first: number;
  readonly #longest: number;
  readonly #tried = new Set<bigint>();
  #inARow = 0;
  #isOpen = false;

  /** @throws SobreError `InvalidArgument` naming the option. */
  constructor(options: PauseWhen) {
    checkOptions(options, pauseWhenChecks, { prefix: "pauseWhen." });
    const { error, failureRate = Infinity, sampleSize = 20, pause = 5_000, maxPause = 60_000 } = options;
    this.#most = options.consecutiveFailures ?? (error === undefined ? 5 : 1);
    this.#rate = failureRate;
    this.#sampleSize = sampleSize;
    this.#isFailure = error ?? (() => true);
    this.#first = toMilliseconds(pause, "pauseWhen.pause");
    this.#longest = toMilliseconds(maxPause, "pauseWhen.maxPause");
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The messages of failed trials. */
  get tried(): ReadonlySet<bigint> {
    return this.#tried;
  }

  /** Milliseconds of the pause after this many failures in a row. */
  delay(failures: number): number {
    return Math.min(this.#first * 2 ** Math.min(failures - 1, 30), this.#longest) * (0.8 + 0.4 * Math.random());
  }

  succeeded(): void {
    this.#inARow = 0;
    this.#note(true);
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#outcomes.length = 0;
    this.#tried.clear();
  }

  /** @param inSession Whether the message cannot be passed over, so that it is counted when it fails a second trial. */
  failed(error: unknown, { sequenceNumber }: Delivery, inSession: boolean): FailureVerdict {
    const counts: unknown = this.#isFailure(error);
    // A promise would count as true.
    if (typeof counts !== "boolean") throw invalidOption("pauseWhen.error", "must return true or false, not a promise");
    if (!counts) return ordinary;
    if (this.#isOpen) {
      const isAgain = this.#tried.has(sequenceNumber);
      if (this.#tried.size >= maxTriedMessages) this.#tried.clear();
      this.#tried.add(sequenceNumber);
      return inSession && isAgain ? counted : outage;
    }
    this.#note(false);
    const failures = this.#outcomes.filter((isGood) => !isGood).length;
    const isRate = this.#outcomes.length >= this.#sampleSize && failures >= this.#rate * this.#sampleSize;
    if (++this.#inARow < this.#most && !isRate) return ordinary;
    this.#isOpen = true;
    this.#inARow = 0;
    this.#tried.add(sequenceNumber);
    return outage;
  }

  #note(isGood: boolean): void {
    if (this.#rate > 1) return;
    this.#outcomes.push(isGood);
    if (this.#outcomes.length > this.#sampleSize) this.#outcomes.shift();
  }
}
