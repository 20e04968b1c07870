import type { Delivery, ReceiveMode } from "../../core/engine/delivery.ts";
import type { Engine, EngineSessionReceiver, ReceiveOptions } from "../../core/engine/engine.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { type AbortOption, isRetryable } from "./attempts.ts";
import { type ClientParts, partsAt } from "./client-parts.ts";
import type { DeliverySource } from "./delivery-source.ts";
import { ClientLink } from "./link.ts";
import { LockRenewal } from "./lock-renewal.ts";
import { checkOption, checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { heldOpen } from "../../core/time/pause.ts";
import { codeOf } from "./process-error.ts";
import type { ReadMessage, Received } from "./received-message.ts";
import { type Receiver, receiverOver } from "./receiver.ts";
import { type ReceiverOptions, receivingChecks, receivingEnd } from "./receiver-options.ts";
import type { EntitySignals } from "./signals.ts";
import { isSessionGone, type Retry } from "./retry.ts";
import { abortChecks } from "./sender.ts";

/** Options of `acceptSession` and `acceptNextSession`. */
export interface SessionReceiverOptions<
  Types extends readonly MessageType[] = readonly MessageType[],
  OnUnreadable extends "hand-over" | "dead-letter" = "hand-over" | "dead-letter",
> extends Omit<ReceiverOptions<Types, OnUnreadable>, "prefetchCount" | "subQueueType"> {
  /** Milliseconds to wait for the session. Default: 0 for a session by id, 60,000 for the next available one. */
  readonly maxWaitTimeInMs?: number | undefined;
  /** Ends the wait for the session. */
  readonly abortSignal?: AbortSignal | undefined;
  /** Milliseconds for which the session's lock is renewed. Default: 300,000; 0 disables renewal. */
  readonly maxAutoLockRenewalDurationInMs?: number | undefined;
}

/** The lock and state of a session that this receiver holds. */
export interface HeldSession {
  readonly sessionId: string;
  /** When the lock expires unless it is renewed. */
  readonly sessionLockedUntilUtc: Date;
  /** Renews the lock, which also happens automatically; resolves to its new expiry. */
  renewSessionLock(options?: AbortOption): Promise<Date>;
  /**
   * The state of the session, or `undefined` when there is none.
   *
   * @example
   * ```ts
   * const session = await client.acceptSession("carts", "cart-7");
   * const state = await session.getSessionState();
   * console.log(state); // undefined
   * ```
   */
  getSessionState(options?: AbortOption): Promise<Uint8Array | undefined>;
  /**
   * Sets the state of the session; `undefined` or `null` clears it.
   *
   * @example
   * ```ts
   * const session = await client.acceptSession("carts", "cart-7");
   * await session.setSessionState(new TextEncoder().encode('{"items":2}'));
   * ```
   */
  setSessionState(state: Uint8Array | null | undefined, options?: AbortOption): Promise<void>;
}

/** Receives the messages of one session in order; closing it releases the session. */
export interface SessionReceiver<Message, Read> extends Receiver<Message, Read>, HeldSession {}

/** The session receiver that `acceptSession` resolves to. */
export type ReceivedSession<
  Types extends readonly MessageType[],
  OnUnreadable extends "hand-over" | "dead-letter",
> = SessionReceiver<Received<Types, OnUnreadable>, ReadMessage<Types>>;

const sessionReceiverChecks: OptionChecks<SessionReceiverOptions> = {
  ...receivingChecks,
  maxWaitTimeInMs: is.milliseconds,
  abortSignal: is.abortSignal,
};

/**
 * Accepts a session, or the next available one.
 *
 * @throws SobreError `SessionCannotBeLocked` when another receiver holds it, `ServiceTimeout` when none is available in
 * time, `InvalidArgument` naming the option.
 * @param closed Aborted when the client is closed.
 */
export async function acceptSession<
  const Types extends readonly MessageType[],
  const OnUnreadable extends "hand-over" | "dead-letter",
>(
  entity: string,
  sessionId: string | undefined,
  shared: ClientParts,
  options: SessionReceiverOptions<Types, OnUnreadable>,
  closed: AbortSignal,
): Promise<ReceivedSession<Types, OnUnreadable>> {
  checkOptions(options, sessionReceiverChecks);
  const {
    maxWaitTimeInMs = sessionId === undefined ? 60_000 : 0,
    abortSignal,
    maxAutoLockRenewalDurationInMs = 300_000,
  } = options;
  const end = receivingEnd(entity, options);
  const parts = partsAt(shared, end.entityPath);
  const renewal = new LockRenewal(parts.clock, maxAutoLockRenewalDurationInMs);
  const either = abortSignal === undefined ? closed : AbortSignal.any([abortSignal, closed]);
  const { clock, engine, retry, signals } = parts;
  const { receiveMode } = end;
  const until = clock.now() + maxWaitTimeInMs;
  const accept = (): Promise<EngineSessionReceiver> => {
    const left = Math.max(until - clock.now(), 0);
    return engine.acceptSession(entity, { sessionId, receiveMode, maxWaitTimeInMs: left, abortSignal: either });
  };
  const first = await heldOpen(clock, maxWaitTimeInMs, () =>
    retry.run(accept, {
      wait: maxWaitTimeInMs,
      abortSignal: either,
      // No free session within the wait is an answer, not an error.
      mayPass: (error) => isRetryable(error) && codeOf(error) !== "ServiceTimeout",
      late: (link: EngineSessionReceiver) => void link.close().catch(() => undefined),
    }),
  );
  const source = new SessionSource(first, { engine, entity, receiveMode, renewal, signals });
  const receiver = receiverOver<Types, OnUnreadable>(
    source,
    { ...end, parts },
    { ...options, maxAutoLockRenewalDurationInMs: 0 },
  );
  const session = heldSession(() => source.held, retry);
  return {
    ...receiver,
    sessionId: first.sessionId,
    get sessionLockedUntilUtc() {
      return session.sessionLockedUntilUtc;
    },
    renewSessionLock: (abort) => session.renewSessionLock(abort),
    getSessionState: (abort) => session.getSessionState(abort),
    setSessionState: (state, abort) => session.setSessionState(state, abort),
  };
}

/** The data that a {@link SessionSource} needs to accept its session again. */
interface SessionSourceOptions {
  readonly engine: Engine;
  readonly entity: string;
  readonly receiveMode: ReceiveMode;
  readonly renewal: LockRenewal;
  readonly signals: EntitySignals;
}

/** The deliveries of a session; one that was lost is accepted again by the next receive. */
class SessionSource implements DeliverySource {
  readonly engine: Engine;
  readonly buffered: number = 0;
  readonly sessionId: string;
  /** The session as last accepted. */
  held: EngineSessionReceiver;
  readonly #renewal: LockRenewal;
  readonly #link: ClientLink<EngineSessionReceiver>;
  readonly #signals: EntitySignals;
  readonly #stop = new AbortController();
  #isLost = false;

  constructor(first: EngineSessionReceiver, { engine, entity, receiveMode, renewal, signals }: SessionSourceOptions) {
    const { sessionId } = first;
    this.#signals = signals;
    this.engine = engine;
    this.sessionId = sessionId;
    this.held = first;
    this.#renewal = renewal;
    this.#keep();
    const reopen = async (): Promise<EngineSessionReceiver> => {
      if (!this.#isLost) return this.held;
      this.held = await engine.acceptSession(entity, {
        sessionId,
        receiveMode,
        maxWaitTimeInMs: 0,
        abortSignal: this.#stop.signal,
      });
      this.#keep();
      return this.held;
    };
    this.#link = new ClientLink("session receiver", reopen, signals.link("session"));
  }

  async receive(options: ReceiveOptions): Promise<readonly Delivery[]> {
    const link = this.#link.current ?? (await this.#link.get());
    return link.receive(options);
  }

  async failed(error: unknown): Promise<boolean> {
    const { current } = this.#link;
    await this.#link.lost(current, error);
    if (this.#link.current === undefined) {
      this.#isLost = true;
      this.#renewal.stop();
    }
    return isRetryable(error) || isSessionGone(error);
  }

  async empty(): Promise<void> {}

  async close(): Promise<void> {
    this.#stop.abort();
    this.#renewal.stop();
    // The link exists from the first receive on.
    if (!this.#isLost && this.#link.current === undefined) await this.held.close();
    await this.#link.close();
  }

  #keep(): void {
    const { held } = this;
    // The next receive or settlement rejects then.
    const lost = (error: unknown): void => this.#signals.lockLost(error, { sessionId: this.sessionId });
    const target = { renew: () => held.renewSessionLock(), lost };
    this.#renewal.keep(held.sessionLockedUntilUtc(), target);
  }
}

function signalOf(options: AbortOption = {}): { readonly abortSignal: AbortSignal | undefined } {
  checkOptions(options, abortChecks);
  return { abortSignal: options.abortSignal };
}

/** The session operations of handlers and receivers. */
export function heldSession(link: () => EngineSessionReceiver, retry: Retry): HeldSession {
  return {
    sessionId: link().sessionId,
    get sessionLockedUntilUtc() {
      return link().sessionLockedUntilUtc();
    },
    renewSessionLock: async (options) => retry.run(() => link().renewSessionLock(), signalOf(options)),
    getSessionState: async (options) => retry.run(() => link().getSessionState(), signalOf(options)),
    async setSessionState(state, options) {
      if (state !== undefined && state !== null) checkOption("state", state, isBytes);
      await retry.once(() => link().setSessionState(state ?? undefined), signalOf(options));
    },
  };
}

const isBytes: is.OptionCheck = (value) =>
  value instanceof Uint8Array
    ? undefined
    : "must be a Uint8Array, or undefined to clear it; encode JSON with JSON.stringify and TextEncoder";
