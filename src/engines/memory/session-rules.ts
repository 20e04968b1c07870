import type { ListSessionsOptions } from "../../engine/engine.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { ReceivableEntity } from "./receivable-entity.ts";
import type { ReceiveLink } from "./receive-link.ts";
import { invalidOperation, sessionLockLost } from "./refusals.ts";

/** @throws SobreError `InvalidOperation` on a session entity, and what {@link ReceivableEntity.checkReceive} throws. */
export function plainReceiver(owner: ReceivableEntity, queue: MessageQueue): void {
  if (queue !== owner.messages) return;
  owner.checkReceive();
  if (queue.sessions === undefined) return;
  throw invalidOperation(
    `'${owner.address}' is a session entity. Accept a session instead of opening a plain receiver.`,
  );
}

/**
 * The link under which deferred messages are received: on session entities that of the session.
 *
 * @throws SobreError `InvalidOperation` without the session id that it takes, `SessionLockLost` when the connection does not hold it.
 */
export function sessionLink(queue: MessageQueue, link: ReceiveLink, sessionId: string | undefined): ReceiveLink {
  if (queue.sessions === undefined) return link;
  if (sessionId === undefined)
    throw invalidOperation("Deferred messages of a session entity are received with their sessionId.");
  const sessionLock = queue.sessions.find(sessionId)?.lock;
  if (sessionLock?.link.holder !== link.holder) throw sessionLockLost(sessionId, queue.policy.address);
  return { ...link, sessionLock };
}

/** The ids of sessions with messages, or of those whose state was set after a time. */
export function listSessions(queue: MessageQueue, options: ListSessionsOptions): readonly string[] {
  if (queue.sessions === undefined) throw invalidOperation(`'${queue.policy.address}' has no sessions.`);
  const { updatedAfter, skip = 0, maxSessions = 100 } = options;
  const found: string[] = [];
  for (const session of queue.sessions.all()) {
    const fits =
      updatedAfter === undefined
        ? session.messageCount > 0
        : session.state !== undefined && session.stateSetAt > updatedAfter.getTime();
    if (fits) found.push(session.id);
  }
  return found.toSorted().slice(skip, skip + maxSessions);
}
