import type { EngineSessionReceiver } from "../engine/engine.ts";
import type { MessageType } from "../message/message-type.ts";
import type { ClientParts } from "./client-parts.ts";
import type { LockRenewal } from "./lock-renewal.ts";
import { type HandlerContext, type MessageContext } from "./message-context.ts";
import { createWork, type MessageWork, type ProcessorHandlers } from "./message-work.ts";
import { checkOptions, countFrom, milliseconds, type OptionChecks, text } from "../options/option-checks.ts";
import { pause } from "./pause.ts";
import { codeOf, type TellError } from "./process-error.ts";
import { processingChecks, type ProcessorOptions, renewalOf } from "./processor.ts";
import { LoopEnds, type Processor, type RunLoop, runProcessor } from "./processor-loops.ts";
import type { ReadMessage } from "./received-message.ts";
import { isRetryable, isSessionGone } from "./retry.ts";
import { type HeldSession, heldSession } from "./session-receiver.ts";

/** Options of a session processor. */
export interface SessionProcessorOptions<Types extends readonly MessageType[] = readonly MessageType[]> extends Omit<
  ProcessorOptions<Types>,
  "maxConcurrentCalls" | "prefetchCount"
> {
  /** How many sessions are held at once; with `sessionIds`, all of them are. Default: 8. */
  readonly maxConcurrentSessions?: number | undefined;
  /** How many messages of a session are in a handler at once; above 1 their order is lost. Default: 1. */
  readonly maxConcurrentCallsPerSession?: number | undefined;
  /** Milliseconds without a message after which a session makes room for another. Default: 60,000. */
  readonly sessionIdleTimeoutInMs?: number | undefined;
  /** Only these sessions. Default: any. */
  readonly sessionIds?: readonly string[] | undefined;
}

/** What a session handler can do beside settling. */
export interface SessionContext extends MessageContext {
  readonly session: HeldSession;
}

const isText = (value: unknown): boolean => text(value) === undefined;

/** The checks of what every processor of sessions takes. */
export const sessionChecks: OptionChecks<SessionProcessorOptions> = {
  ...processingChecks,
  maxConcurrentSessions: countFrom(1),
  maxConcurrentCallsPerSession: countFrom(1),
  sessionIdleTimeoutInMs: milliseconds,
  sessionIds: (value) =>
    Array.isArray(value) && value.length > 0 && value.every(isText) && new Set(value).size === value.length
      ? undefined
      : "must be a list of ids, at least one and none twice",
};

/** Milliseconds that one acceptance waits; it only bounds how long an idle processor is silent. */
const acceptWait = 60_000;

/**
 * Starts a processor of sessions: the messages of each in order, several sessions at once.
 *
 * A session whose lock was lost, and a lost link, are told to `processError`, and sessions are accepted again.
 *
 * @throws SobreError `InvalidArgument` as `createProcessor` does.
 */
export function startSessionProcessor<const Types extends readonly MessageType[] = readonly []>(
  entityPath: string,
  parts: ClientParts,
  handlers: ProcessorHandlers<ReadMessage<Types>, SessionContext>,
  options: SessionProcessorOptions<Types> = {},
): Processor {
  checkOptions(options, sessionChecks);
  const { receiveMode = "peekLock", maxConcurrentSessions = 8, sessionIds } = options;
  const { maxConcurrentCallsPerSession: calls = 1, sessionIdleTimeoutInMs: idle = 60_000 } = options;
  const { work, tell } = createWork<Types, SessionContext>(entityPath, parts, handlers, options);
  const serving = { parts, tell, work, calls, idle, renewal: () => renewalOf(parts, options) };
  const ends = new LoopEnds();
  const acceptAll = async (sessionId: string | undefined, signal: AbortSignal, loop: RunLoop): Promise<void> => {
    for (let failures = 0; ;) {
      if (signal.aborted) return;
      let accepted = false;
      let startedAt = 0;
      try {
        const wait = { sessionId, receiveMode, maxWaitTime: acceptWait, signal };
        startedAt = parts.clock.now();
        const link = await parts.engine.acceptSession(entityPath, wait);
        accepted = true;
        failures = 0;
        await serve(link, { ...serving, loop }, signal);
      } catch (error) {
        if (signal.aborted) return;
        // That no session was free in time is no error; an engine that does not wait is asked less often.
        if (!accepted && codeOf(error) === "ServiceTimeout") {
          if (parts.clock.now() === startedAt) await pause(parts.clock, parts.retry.delay(1), signal);
          continue;
        }
        const mayPass = isRetryable(error) || isSessionGone(error);
        if (mayPass || ends.isNew(error)) await tell(accepted ? "receive" : "acceptSession", error);
        if (!mayPass) return;
        await pause(parts.clock, parts.retry.delay(++failures), signal);
      }
    }
  };
  const wanted = sessionIds ?? Array.from({ length: maxConcurrentSessions }, () => undefined);
  return runProcessor({
    entityPath,
    parts,
    start: (signal, loop) => Promise.all(wanted.map((sessionId) => loop(() => acceptAll(sessionId, signal, loop)))),
    ended: async () => undefined,
  });
}

/** What serving a session needs. */
interface Serving<Types extends readonly MessageType[]> {
  readonly parts: ClientParts;
  readonly tell: TellError;
  readonly work: MessageWork<Types, SessionContext>;
  readonly calls: number;
  readonly idle: number;
  readonly renewal: () => LockRenewal;
  readonly loop: RunLoop;
}

/** Handles the messages of a session until it is idle or lost; then the session is free. */
async function serve<Types extends readonly MessageType[]>(
  link: EngineSessionReceiver,
  { parts, tell, work, calls, idle, renewal, loop }: Serving<Types>,
  signal: AbortSignal,
): Promise<void> {
  const locks = renewal();
  const running = new Set<HandlerContext>();
  const gone = new AbortController();
  const lost = (error: unknown): void => {
    for (const context of running) context.loseLock(error);
    gone.abort(error);
    void tell("renewLock", error);
  };
  // Anew with each message, so that a session is held as long as it is busy.
  const keep = (): void =>
    locks.keep(link, link.sessionLockedUntilUtc(), { renew: () => link.renewSessionLock(), lost });
  keep();
  const either = AbortSignal.any([signal, gone.signal]);
  const session = heldSession(() => link);
  const handleAll = async (): Promise<void> => {
    for (let givenBack = 0; ;) {
      if (either.aborted) return;
      const deliveries = await link.receive({ maxMessages: 1, maxWaitTime: idle, signal: either });
      if (deliveries.length === 0) return;
      for (const delivery of deliveries) {
        keep();
        const contexts: HandlerContext[] = [];
        const isAway = await work.handle(delivery, parts.engine, undefined, (context) => {
          contexts.push(context);
          running.add(context);
          return Object.assign(context, { session });
        });
        for (const context of contexts) running.delete(context);
        givenBack = isAway ? givenBack + 1 : 0;
        if (isAway) await pause(parts.clock, parts.retry.delay(givenBack), either);
      }
    }
  };
  try {
    // All of them, so that the session is not given up under a handler that still runs.
    const ends = await Promise.allSettled(Array.from({ length: calls }, () => loop(handleAll)));
    const broken = ends.find((end) => end.status === "rejected");
    if (broken !== undefined) throw broken.reason;
  } finally {
    locks.stop();
    await link.close().catch(() => undefined);
  }
}
