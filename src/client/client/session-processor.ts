import type { Delivery } from "../../core/engine/delivery.ts";
import type { EngineSessionReceiver } from "../../core/engine/engine.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { type ClientParts, partsAt } from "./client-parts.ts";
import type { KeptLock, LockRenewal } from "./lock-renewal.ts";
import type { Handling, MessageContext } from "./handling.ts";
import { MessageWork } from "./message-work.ts";
import type { ProcessorHandlers } from "./processor-handlers.ts";
import type { SessionRetries } from "./message-retries.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { duration } from "../../core/options/duration-option.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";
import { Outage, Turn } from "./outage.ts";
import { pause } from "../../core/time/pause.ts";
import { codeOf } from "./process-error.ts";
import { processingChecks, type ProcessorOptions, renewalOf } from "./processor.ts";
import { LoopErrors, type LoopState, type Processor, type RunLoop, runProcessor } from "./processor-loops.ts";
import { idleWait, repeat } from "./receive-loop.ts";
import type { ReadMessage } from "./received-message.ts";
import { isRetryable } from "./attempts.ts";
import { isSessionGone, type Retry } from "./retry.ts";
import { type OrderProgress, SessionOrder } from "./session-order.ts";
import { type HeldSession, heldSession } from "./session-receiver.ts";
import { Settler } from "./settling.ts";
import type { EntitySignals } from "./signals.ts";
import { Slot } from "./slot.ts";

/** Options of a session processor. */
export interface SessionProcessorOptions<Types extends readonly MessageType[] = readonly MessageType[]> extends Omit<
  ProcessorOptions<Types>,
  "maxConcurrentCalls" | "prefetchCount" | "retries"
> {
  /** How many sessions are processed concurrently; with `sessionIds`, all of them. Default: 8. */
  readonly maxConcurrentSessions?: number | undefined;
  /** How many messages of a session are handled concurrently; above 1, their order is lost. Default: 1. */
  readonly maxConcurrentCallsPerSession?: number | undefined;
  /** Time without a message after which a session is closed to make room for another. Default: 1 minute. */
  readonly sessionIdleTimeout?: DurationLike | undefined;
  /** Process only these sessions. Default: any. */
  readonly sessionIds?: readonly string[] | undefined;
  /**
   * How messages whose handler failed are retried: their session waits meanwhile, without being held. Default: they are
   * abandoned, and redelivered without a delay until the entity's `maxDeliveryCount` is reached.
   */
  readonly retries?: SessionRetries | undefined;
}

/** Operations of a session handler besides settling. */
export interface SessionContext extends MessageContext {
  readonly session: HeldSession;
}

const isText = (value: unknown): boolean => is.text(value) === undefined;

/** Checks of the options shared by all session processors. */
export const sessionChecks: OptionChecks<SessionProcessorOptions> = {
  ...processingChecks,
  // Checked by Recovery.
  retries: is.anything,
  maxConcurrentSessions: is.countFrom(1),
  maxConcurrentCallsPerSession: is.countFrom(1),
  sessionIdleTimeout: duration,
  sessionIds: (value) =>
    Array.isArray(value) && value.length > 0 && value.every(isText) && new Set(value).size === value.length
      ? undefined
      : "must be a non-empty array of unique session ids",
};

/**
 * Starts a session processor: several sessions concurrently, the messages of each in order.
 *
 * Lost session locks and lost links are reported to `processError`, then sessions are accepted again.
 *
 * @throws SobreError `InvalidArgument` as `startProcessor` does.
 */
export function startSessionProcessor<const Types extends readonly MessageType[] = readonly []>(
  entityPath: string,
  clientParts: ClientParts,
  handlers: ProcessorHandlers<ReadMessage<Types>, SessionContext>,
  options: SessionProcessorOptions<Types> = {},
): Processor {
  checkOptions(options, sessionChecks);
  const parts = partsAt(clientParts, entityPath);
  const { signals } = parts;
  const { receiveMode = "peekLock", maxConcurrentSessions = 8, sessionIds } = options;
  const { maxConcurrentCallsPerSession: calls = 1, sessionIdleTimeout = 60_000 } = options;
  const idle = toMilliseconds(sessionIdleTimeout, "sessionIdleTimeout");
  const { retries } = options;
  if (retries !== undefined && calls > 1)
    throw invalidOption("maxConcurrentCallsPerSession", "must be 1 with retries, for which the session waits");
  const work = new MessageWork<Types, SessionContext>({ ...options, entityPath, parts, handlers, inSessions: true });
  const { engine, clock, retry } = parts;
  const settler = new Settler({ entityPath, parts, engine: () => engine });
  const ordered = receiveMode === "peekLock" && calls === 1;
  const orderOf = (sessionId: string, signal: AbortSignal): SessionOrder | undefined =>
    ordered
      ? new SessionOrder({
          entityPath,
          sessionId,
          parts,
          settler,
          retries: retries !== undefined,
          holds: retries?.holdSession === true,
          signal,
        })
      : undefined;
  const serving = { work, retry, settler, signals, calls, idle, orderOf, renewal: () => renewalOf(parts, options) };
  const errors = new LoopErrors();
  const state = signals.link("session");
  const acceptAll = (sessionId: string | undefined, signal: AbortSignal, run: Run): Promise<void> => {
    const { outage } = run;
    const turn = new Turn(outage);
    let isHeld = false;
    return repeat(parts, signal, {
      async step(progressed) {
        isHeld = false;
        if (turn.waits) await turn.come();
        const startedAt = clock.now();
        try {
          const wait = { sessionId, receiveMode, maxWaitTimeInMs: idleWait, abortSignal: outage.signal };
          const link = await engine.acceptSession(entityPath, wait);
          isHeld = true;
          state.opened();
          progressed();
          errors.clear();
          await serve(link, { ...serving, ...run });
        } catch (error) {
          if (outage.isOn) return;
          // No free session within the wait is not an error; an engine that does not wait is asked less often.
          if (isHeld || codeOf(error) !== "ServiceTimeout" || signal.aborted) throw error;
          state.opened();
          if (clock.now() === startedAt) await pause(clock, retry.delay(1), signal);
        }
      },
      async failed(error, attempt) {
        turn.failed();
        const mayPass = isRetryable(error) || isSessionGone(error);
        if (!isSessionGone(error)) state.lost(error);
        if (!mayPass) errors.fatal = error;
        // Sessions are lost independently of each other.
        if (isSessionGone(error) || errors.isNew(error, attempt))
          await work.report(isHeld ? "receive" : "acceptSession", error);
        return mayPass;
      },
    });
  };
  const wanted = sessionIds ?? Array.from({ length: maxConcurrentSessions }, () => undefined);
  let away: Outage | undefined;
  const held = new Set<Held>();
  return runProcessor({
    entityPath,
    parts,
    isPaused: () => away?.isPaused === true,
    inFlight: () => work.inFlight,
    buffered: () => 0,
    errors,
    giveUp() {
      const { left, released } = work.giveUp();
      const given = [...held].filter((session) => !session.isWaiting());
      return { left, released: released.then(() => Promise.all(given.map((session) => session.release()))) };
    },
    start: (signal, loop) => {
      const outage = new Outage({ clock, signals, delay: (failures) => work.pauseOf(failures) }, signal);
      away = outage;
      const run = { loop, outage, held };
      return Promise.all(wanted.map((sessionId) => loop(() => acceptAll(sessionId, signal, run))));
    },
    ended: async () => state.closed(),
  });
}

/** The parts of a session processor that serving one session needs. */
interface Serving<Types extends readonly MessageType[]> extends Run {
  readonly work: MessageWork<Types, SessionContext>;
  readonly settler: Settler;
  readonly signals: EntitySignals;
  readonly retry: Retry;
  readonly calls: number;
  readonly idle: number;
  readonly renewal: () => LockRenewal;
  readonly orderOf: (sessionId: string, signal: AbortSignal) => SessionOrder | undefined;
}

interface Run {
  readonly loop: RunLoop;
  readonly outage: Outage;
  /** The sessions that are served. */
  readonly held: Set<Held>;
}

/** A session that is served. */
interface Held {
  /** Whether one of its handlers waits for the others, to close the processor. */
  isWaiting(): boolean;
  release(): Promise<void>;
}

const progressOf = (isAway: boolean): OrderProgress => (isAway ? "away" : "handled");

/** Handles the messages of a session until it is idle or lost, then releases it. */
async function serve<Types extends readonly MessageType[]>(
  link: EngineSessionReceiver,
  { work, settler, signals, retry, calls, idle, renewal, orderOf, loop, outage, held }: Serving<Types>,
): Promise<void> {
  const locks = renewal();
  const running = new Set<Handling>();
  const gone = new AbortController();
  const lost = (error: unknown): void => {
    for (const handling of running) handling.loseLock(error);
    gone.abort(error);
    signals.lockLost(error, { sessionId: link.sessionId });
    void work.report("renewLock", error);
  };
  // Restarted with each message, so a busy session keeps its lock.
  let lock: KeptLock | undefined;
  const keep = (): void => {
    lock?.release();
    lock = locks.keep(link.sessionLockedUntilUtc(), { renew: () => link.renewSessionLock(), lost });
  };
  keep();
  const either = AbortSignal.any([outage.signal, gone.signal]);
  const session = heldSession(() => link, retry);
  const order = orderOf(session.sessionId, either);
  const handle = async (delivery: Delivery, slot: Slot, own: LoopState): Promise<boolean> => {
    keep();
    const handlings: Handling[] = [];
    const extend = (context: MessageContext, handling: Handling): SessionContext => {
      handlings.push(handling);
      running.add(handling);
      return Object.assign(context, { session });
    };
    const isAway = await work.handle(delivery, { settler, renewal: undefined, extend, slot, loop: own, order });
    for (const handling of handlings) running.delete(handling);
    return isAway;
  };
  const calling: LoopState[] = [];
  const handleAll = async (own: LoopState): Promise<void> => {
    calling.push(own);
    const slot = new Slot(0);
    for (;;) {
      if (either.aborted) return;
      const [delivery] = await link.receive({ maxMessages: 1, maxWaitTimeInMs: idle, abortSignal: either });
      if (delivery === undefined) return;
      signals.received++;
      // A locked message is released with the session; any other would be lost.
      if (outage.isOn && delivery.lockToken !== undefined) return;
      const one = (message: Delivery): Promise<boolean> => handle(message, slot, own);
      const progress = order === undefined ? progressOf(await one(delivery)) : await order.process(delivery, one);
      if (progress === "lost") return;
      if (progress === "away") outage.begin();
      else if (progress === "handled" && !work.isOutage) outage.ended();
    }
  };
  let released: Promise<void> | undefined;
  const release = (): Promise<void> => {
    locks.stop();
    return (released ??= link.close().catch(() => undefined));
  };
  const here: Held = { isWaiting: () => calling.some(({ isWaiting }) => isWaiting), release };
  held.add(here);
  try {
    // Waits for all, so that the session is not released while a handler is still running.
    const ends = await Promise.allSettled(Array.from({ length: calls }, () => loop(handleAll)));
    const broken = ends.find((end) => end.status === "rejected");
    if (broken !== undefined) throw broken.reason;
  } finally {
    held.delete(here);
    await release();
  }
}
