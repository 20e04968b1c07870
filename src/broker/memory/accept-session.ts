import type { AcceptSessionOptions } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { Holder } from "./bytes/handed-envelope.ts";
import type { ReceivableEntity } from "./receivable-entity.ts";
import type { MemoryReceiver } from "./receiver.ts";
import { closed, invalidOperation, noSessionInTime, sessionCannotBeLocked } from "../../core/engine/refusals.ts";
import type { SessionLock } from "./session.ts";
import { MemorySessionReceiver } from "./session-receiver.ts";
import type { SessionTable, WaitingAccept } from "./session-table.ts";

/** A request to accept a session. */
export interface Acceptance {
  readonly options: AcceptSessionOptions;
  readonly holder: Holder;
  readonly onClose: (receiver: MemoryReceiver) => void;
  /** Registers the function that ends the wait when the connection closes; returns a function that unregisters it. */
  readonly onWait: (end: () => void) => () => void;
}

/**
 * Locks a session by its id, or the next available one, waiting for it.
 *
 * @throws SobreError `InvalidOperation` when the entity has no sessions, `SessionCannotBeLocked`, `ServiceTimeout`, `Aborted`.
 */
export async function acceptSession(
  owner: ReceivableEntity,
  queue: MessageQueue,
  acceptance: Acceptance,
): Promise<MemorySessionReceiver> {
  const { sessions } = queue;
  if (sessions === undefined)
    throw invalidOperation(`'${queue.policy.address}' does not use sessions. Open a receiver without a session.`);
  owner.checkReceive();
  const { options, holder, onClose } = acceptance;
  const sessionLock = await acquire(queue, sessions, acceptance);
  const link = { receiveMode: options.receiveMode, holder, sessionLock };
  return new MemorySessionReceiver(owner, queue, link, onClose);
}

async function acquire(
  queue: MessageQueue,
  sessions: SessionTable,
  { options, holder, onWait }: Acceptance,
): Promise<SessionLock> {
  const { sessionId, maxWaitTime, signal } = options;
  const { address } = queue.policy;
  const now = queue.timeline.now();
  if (signal?.aborted === true) throw aborted();
  let lock: SessionLock | undefined;
  if (sessionId !== undefined) lock = sessions.accept(sessionId, holder, now);
  // Calls that are already waiting come first.
  else if (!sessions.contended) lock = sessions.acceptNext(holder, now);
  if (lock !== undefined) return lock;
  const tooLate = (): SobreError =>
    sessionId === undefined ? noSessionInTime(address) : sessionCannotBeLocked(sessionId, address);
  if (maxWaitTime === 0) throw tooLate();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      if (sessions.leave(waiting) && signal === undefined) queue.timeline.waitEnded();
      queue.timeline.cancel(waiting);
      signal?.removeEventListener("abort", abort);
      stopWaiting();
    };
    const waiting: WaitingAccept = {
      dueIndex: -1,
      sessionId,
      holder,
      due: () => waiting.refuse(tooLate()),
      grant(granted) {
        stop();
        resolve(granted);
      },
      refuse(error) {
        stop();
        reject(error);
      },
    };
    const abort = (): void => waiting.refuse(aborted());
    const stopWaiting = onWait(() => waiting.refuse(closed("engine")));
    signal?.addEventListener("abort", abort);
    queue.timeline.schedule(waiting, now + maxWaitTime);
    if (signal === undefined) queue.timeline.waitBegan();
    sessions.wait(waiting);
  });
}

const aborted = (): SobreError => new SobreError("Aborted", "The wait for a session was aborted. No session is held.");
