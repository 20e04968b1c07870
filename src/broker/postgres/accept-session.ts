import { closed } from "../../core/engine/refusals.ts";
import type { SessionRequest } from "../policy/broker-verbs.ts";
import { acceptAborted, notAcceptedInTime } from "../policy/refusals.ts";
import type { ClaimedSession } from "./claim.ts";
import type { TableQueue } from "./entities.ts";
import type { Home } from "./home.ts";
import { acceptNamed, acceptNext, releaseSession } from "./sessions.ts";
import { inTransaction } from "./sweep.ts";
import { startWait } from "./waits.ts";

/**
 * Locks a session of a queue by its id, or the next available one, waiting for it. `holder` is the name of the connection.
 *
 * @throws SobreError `SessionCannotBeLocked`, `ServiceTimeout`, `Aborted`.
 */
export async function acceptSession(
  home: Home,
  queue: TableQueue,
  { sessionId, maxWaitTimeInMs, abortSignal, deadline, onWait }: SessionRequest,
  holder: string | undefined,
): Promise<ClaimedSession> {
  const { store } = home;
  if (isAborted(abortSignal)) throw acceptAborted();
  const attempt = async (): Promise<ClaimedSession | undefined> => {
    await home.catchUp();
    const { entity, receiveRefusal } = store.current(queue);
    if (receiveRefusal !== undefined) throw receiveRefusal;
    await store.touch(entity);
    return inTransaction(
      store,
      queue,
      store.now(),
      (returning) =>
        sessionId === undefined ? acceptNext(returning, holder) : acceptNamed(returning, sessionId, holder),
      (held) => held !== undefined,
    );
  };
  if (maxWaitTimeInMs === 0) {
    const held = await attempt();
    if (held === undefined) throw notAcceptedInTime(sessionId, queue.address);
    return held;
  }
  const pending = startWait(home.state(queue), {
    key: sessionId === undefined ? "next" : `accept ${sessionId}`,
    clock: store.clock,
    deadline,
    abortSignal,
    attempt,
    giveUp: (held) => inTransaction(store, queue, store.now(), (returning) => releaseSession(returning, held)),
  });
  const forget = onWait(() => pending.end(closed("engine")));
  const held = await pending.outcome.finally(forget);
  if (held !== undefined) return held;
  throw isAborted(abortSignal) ? acceptAborted() : notAcceptedInTime(sessionId, queue.address);
}

const isAborted = (abortSignal: AbortSignal | undefined): boolean => abortSignal?.aborted === true;
