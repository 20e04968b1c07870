import type { Engine, EngineSessionReceiver } from "../engine/index.ts";
import type { MessageType } from "../message/index.ts";
import type { ClientParts } from "./client-parts.ts";
import type { DeliverySource } from "./delivery-source.ts";
import { LockRenewal } from "./lock-renewal.ts";
import { checkOptions, milliseconds, type OptionChecks, signal } from "./option-checks.ts";
import { heldOpen } from "./pause.ts";
import type { ReadMessage, Received } from "./received-message.ts";
import { type Receiver, type ReceiverOptions, receiverOver, receivingChecks, receivingEnd } from "./receiver.ts";

/** Options of `acceptSession` and `acceptNextSession`. */
export interface AcceptSessionOptions<
  Types extends readonly MessageType[] = readonly MessageType[],
  OnUnreadable extends "hand-over" | "dead-letter" = "hand-over" | "dead-letter",
> extends Omit<ReceiverOptions<Types, OnUnreadable>, "prefetchCount" | "subQueueType"> {
  /** Milliseconds to wait for the session. Default: 60,000. */
  readonly maxWaitTimeInMs?: number | undefined;
  /** Ends the waiting for the session. */
  readonly abortSignal?: AbortSignal | undefined;
  /** Milliseconds for which the session's lock is renewed. Default: 300,000; 0 renews nothing. */
  readonly maxAutoLockRenewalDurationInMs?: number | undefined;
}

/** A session that is held: its lock, its state. */
export interface HeldSession {
  readonly sessionId: string;
  /** When the lock ends unless it is renewed. */
  readonly sessionLockedUntilUtc: Date;
  /** Resolves to the new end of the lock; it is renewed without this too. */
  renewSessionLock(): Promise<Date>;
  /** The bytes kept with the session, or `undefined` when there are none. */
  getSessionState(): Promise<Uint8Array | undefined>;
  /** `undefined` clears the state. */
  setSessionState(state: Uint8Array | undefined): Promise<void>;
}

/** Receives the messages of one session, in order; closing it frees the session. */
export interface SessionReceiver<Message, Read> extends Receiver<Message, Read>, HeldSession {}

/** What the client hands a session over as. */
export type ReceivedSession<
  Types extends readonly MessageType[],
  OnUnreadable extends "hand-over" | "dead-letter",
> = SessionReceiver<Received<Types, OnUnreadable>, ReadMessage<Types>>;

const checks: OptionChecks<AcceptSessionOptions> = {
  ...receivingChecks,
  maxWaitTimeInMs: milliseconds,
  abortSignal: signal,
};

/**
 * Accepts a session, or the next one that is free.
 *
 * @throws SobreError `SessionCannotBeLocked` when another receiver holds it, `ServiceTimeout` when none is free in time,
 *   `InvalidArgument` naming the option.
 */
export async function acceptSession<
  const Types extends readonly MessageType[],
  const OnUnreadable extends "hand-over" | "dead-letter",
>(
  entity: string,
  sessionId: string | undefined,
  parts: ClientParts,
  options: AcceptSessionOptions<Types, OnUnreadable> = {},
): Promise<ReceivedSession<Types, OnUnreadable>> {
  checkOptions(options, checks);
  const { maxWaitTimeInMs = 60_000, abortSignal, maxAutoLockRenewalDurationInMs = 300_000 } = options;
  const end = receivingEnd(entity, options);
  const renewal = new LockRenewal(parts.clock, maxAutoLockRenewalDurationInMs);
  const wait = { sessionId, receiveMode: end.receiveMode, maxWaitTime: maxWaitTimeInMs, signal: abortSignal };
  const link = await heldOpen(parts.clock, maxWaitTimeInMs, () => parts.engine.acceptSession(entity, wait));
  // Whoever receives or settles learns of a lost lock there.
  renewal.keep(link, link.sessionLockedUntilUtc(), { renew: () => link.renewSessionLock(), lost: () => undefined });
  const source = sessionSource(parts.engine, link, renewal);
  const receiver = receiverOver<Types, OnUnreadable>(
    source,
    { ...end, parts },
    { ...options, maxAutoLockRenewalDurationInMs: 0 },
  );
  const session = heldSession(link);
  return {
    ...receiver,
    sessionId: link.sessionId,
    get sessionLockedUntilUtc() {
      return session.sessionLockedUntilUtc;
    },
    renewSessionLock: () => session.renewSessionLock(),
    getSessionState: () => session.getSessionState(),
    setSessionState: (state) => session.setSessionState(state),
  };
}

/** The deliveries of a session. */
function sessionSource(
  engine: Engine,
  link: EngineSessionReceiver,
  renewal: LockRenewal,
): DeliverySource & { readonly sessionId: string } {
  return {
    engine,
    sessionId: link.sessionId,
    receive: (options) => link.receive(options),
    // A session that was lost is accepted anew by whoever wants it.
    failed: async () => undefined,
    close() {
      renewal.stop();
      return link.close();
    },
  };
}

/** What handlers and receivers can do with the session they hold. */
export function heldSession(link: EngineSessionReceiver): HeldSession {
  return {
    sessionId: link.sessionId,
    get sessionLockedUntilUtc() {
      return link.sessionLockedUntilUtc();
    },
    renewSessionLock: () => link.renewSessionLock(),
    getSessionState: () => link.getSessionState(),
    setSessionState: (state) => link.setSessionState(state),
  };
}
