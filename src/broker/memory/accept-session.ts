import type { SessionRequest } from "../policy/broker-verbs.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { HoldingConnection } from "./bytes/handed-envelope.ts";
import { closed } from "../../core/engine/refusals.ts";
import { acceptAborted, noSessions, notAcceptedInTime } from "../policy/refusals.ts";
import type { SessionLock } from "./session.ts";
import type { WaitingAccept } from "./session-table.ts";

/**
 * Locks a session of a queue by its id, or the next available one, waiting for it.
 *
 * @throws SobreError `SessionCannotBeLocked`, `ServiceTimeout`, `Aborted`.
 */
export async function acceptSession(
  queue: MessageQueue,
  { sessionId, maxWaitTimeInMs, abortSignal, deadline, onWait }: SessionRequest,
  holder: HoldingConnection,
): Promise<SessionLock> {
  const { address, sessions, entity } = queue;
  if (sessions === undefined) throw noSessions(address);
  const now = queue.timeline.now();
  entity.touch(now);
  if (abortSignal?.aborted === true) throw acceptAborted();
  let lock: SessionLock | undefined;
  if (sessionId !== undefined) lock = sessions.accept(sessionId, holder, now);
  // Calls that are already waiting come first.
  else if (!sessions.contended) lock = sessions.acceptNext(holder, now);
  if (lock !== undefined) return lock;
  if (maxWaitTimeInMs === 0) throw notAcceptedInTime(sessionId, address);
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      if (sessions.leave(waiting) && abortSignal === undefined) queue.timeline.waitEnded();
      queue.timeline.cancel(waiting);
      abortSignal?.removeEventListener("abort", abort);
      stopWaiting();
    };
    const waiting: WaitingAccept = {
      dueIndex: -1,
      sessionId,
      holder,
      due: () => waiting.refuse(notAcceptedInTime(sessionId, address)),
      grant(granted) {
        stop();
        resolve(granted);
      },
      refuse(error) {
        stop();
        reject(error);
      },
    };
    const abort = (): void => waiting.refuse(acceptAborted());
    const stopWaiting = onWait(() => waiting.refuse(closed("engine")));
    abortSignal?.addEventListener("abort", abort);
    queue.timeline.schedule(waiting, deadline);
    if (abortSignal === undefined) queue.timeline.waitBegan();
    sessions.wait(waiting);
  });
}
