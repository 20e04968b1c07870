import type { AcceptSessionOptions } from "../../engine/engine.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { ReceivableEntity } from "./receivable-entity.ts";
import type { ReceiveLink } from "./receive-link.ts";
import type { MemoryReceiver } from "./receiver.ts";
import { closed, invalidOperation, noSessionInTime } from "./refusals.ts";
import type { SessionLock } from "./session-lock.ts";
import { MemorySessionReceiver } from "./session-receiver.ts";
import type { SessionTable } from "./session-table.ts";
import type { WaitingAccept } from "./waiting-accept.ts";

/** Who accepts a session, and how. */
export interface Acceptance {
  readonly options: AcceptSessionOptions;
  /** The connection. */
  readonly holder: object;
  readonly onClose: (receiver: MemoryReceiver) => void;
  /** Told how to end the wait when the connection closes. */
  readonly onWait: (end: () => void) => () => void;
}

/**
 * Locks a session by its id, or the next available one, waiting for it.
 *
 * @throws SobreError `InvalidOperation` where there are no sessions, `SessionCannotBeLocked`, `ServiceTimeout`, `Aborted`.
 */
export async function acceptSession(
  owner: ReceivableEntity,
  queue: MessageQueue,
  acceptance: Acceptance,
): Promise<MemorySessionReceiver> {
  const { sessions } = queue;
  if (sessions === undefined)
    throw invalidOperation(`'${queue.policy.address}' has no sessions. Open a plain receiver.`);
  owner.checkReceive();
  const { options, holder } = acceptance;
  const link: ReceiveLink = { receiveMode: options.receiveMode, holder };
  const lock = await acquire(queue, sessions, link, acceptance);
  link.sessionLock = lock;
  return new MemorySessionReceiver(owner, lock, acceptance.onClose);
}

async function acquire(
  queue: MessageQueue,
  sessions: SessionTable,
  link: ReceiveLink,
  { options, onWait }: Acceptance,
): Promise<SessionLock> {
  const now = queue.timeline.now();
  if (options.sessionId !== undefined) return sessions.accept(options.sessionId, link, now);
  if (options.signal?.aborted === true) throw aborted();
  if (!sessions.contended) {
    const lock = sessions.acceptNext(link, now);
    if (lock !== undefined) return lock;
  }
  if (options.maxWaitTime === 0) throw noSessionInTime(queue.policy.address);
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      if (sessions.leave(waiting) && options.signal === undefined) queue.timeline.waitEnded();
      queue.timeline.cancel(waiting);
      options.signal?.removeEventListener("abort", abort);
      stopWaiting();
    };
    const waiting: WaitingAccept = {
      dueIndex: -1,
      link,
      due: () => waiting.refuse(noSessionInTime(queue.policy.address)),
      grant(lock) {
        stop();
        resolve(lock);
      },
      refuse(error) {
        stop();
        reject(error);
      },
    };
    const abort = (): void => waiting.refuse(aborted());
    const stopWaiting = onWait(() => waiting.refuse(closed("engine")));
    options.signal?.addEventListener("abort", abort);
    queue.timeline.schedule(waiting, now + options.maxWaitTime);
    if (options.signal === undefined) queue.timeline.waitBegan();
    sessions.wait(waiting);
  });
}

const aborted = (): SobreError => new SobreError("Aborted", "The wait for a session was aborted. No session is held.");
