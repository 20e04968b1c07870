import type { AcceptSessionOptions } from "../../core/engine/engine.ts";
import { closed, invalidOperation, noSessionInTime, sessionCannotBeLocked } from "../../core/engine/refusals.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { touch } from "./admin.ts";
import type { HeldSession } from "./claim.ts";
import { hasSessions, type Lane, receiveRefusal } from "./entities.ts";
import type { Home } from "./home.ts";
import { acceptNamed, acceptNext, releaseSession } from "./sessions.ts";
import { inTransaction } from "./sweep.ts";
import { startWait } from "./waits.ts";

/** How a session is accepted. */
export interface Acceptance {
  readonly options: AcceptSessionOptions;
  /** The name of the connection. */
  readonly holder: string | undefined;
  /** Milliseconds since 1970. */
  readonly deadline: number;
  /** Registers the function that ends the wait when the connection closes; returns a function that unregisters it. */
  readonly onWait: (end: () => void) => () => void;
}

/**
 * Locks a session by its id, or the next available one, waiting for it.
 *
 * @throws SobreError `InvalidOperation` when the entity has no sessions, `SessionCannotBeLocked`, `ServiceTimeout`, `Aborted`.
 */
export async function acceptSession(
  home: Home,
  lane: Lane,
  { options: { sessionId, maxWaitTimeInMs, abortSignal }, holder, deadline, onWait }: Acceptance,
): Promise<HeldSession> {
  const { store } = home;
  if (!hasSessions(lane))
    throw invalidOperation(`'${lane.address}' does not use sessions. Open a receiver without a session.`);
  if (isAborted(abortSignal)) throw aborted();
  const tooLate = (): SobreError =>
    sessionId === undefined ? noSessionInTime(lane.address) : sessionCannotBeLocked(sessionId, lane.address);
  const attempt = async (): Promise<HeldSession | undefined> => {
    await home.catchUp();
    const { entity } = store.current(lane);
    const refusal = entity.type === "topic" ? undefined : receiveRefusal(entity);
    if (refusal !== undefined) throw refusal;
    await touch(store, entity);
    return inTransaction(
      store,
      lane,
      store.now(),
      (returning) =>
        sessionId === undefined ? acceptNext(returning, holder) : acceptNamed(returning, sessionId, holder),
      (held) => held !== undefined,
    );
  };
  if (maxWaitTimeInMs === 0) {
    const held = await attempt();
    if (held === undefined) throw tooLate();
    return held;
  }
  const pending = startWait(home.lane(lane), {
    key: sessionId === undefined ? "next" : `accept ${sessionId}`,
    clock: store.clock,
    deadline,
    abortSignal,
    attempt,
    giveUp: (held) => inTransaction(store, lane, store.now(), (returning) => releaseSession(returning, held)),
  });
  const forget = onWait(() => pending.end(closed("engine")));
  const held = await pending.outcome.finally(forget);
  if (held !== undefined) return held;
  throw isAborted(abortSignal) ? aborted() : tooLate();
}

const isAborted = (abortSignal: AbortSignal | undefined): boolean => abortSignal?.aborted === true;

const aborted = (): SobreError => new SobreError("Aborted", "The wait for a session was aborted. No session is held.");
