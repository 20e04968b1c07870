import type { Delivery } from "../../core/engine/delivery.ts";
import type { ReceiveOptions } from "../../core/engine/engine.ts";
import { sessionLockLost } from "../../core/engine/refusals.ts";
import type { Answer } from "../policy/answer.ts";
import type { ReceiveVerbs, SessionLink } from "../policy/broker-verbs.ts";
import { checkStateSize, sizedEntity } from "../policy/entities.ts";
import type { MessageQueue, QueueReceiveLink } from "./message-queue.ts";
import { checkRoom } from "./meter.ts";
import type { MemorySession } from "./session.ts";
import { WaitingReceive } from "./waiting-receive.ts";

/** A link with the queue that it receives from. */
export interface MemoryLink extends QueueReceiveLink {
  queue: MessageQueue;
}

/** The verbs of receivers, carried out within the call. */
export const receiveVerbs: ReceiveVerbs<MemoryLink> = {
  receive,
  endReceives(link) {
    const { queue, sessionLock } = link;
    const now = queue.timeline.now();
    const { waiting } = sessionLock?.session ?? queue.laneOf(link);
    for (const wait of waiting) if (wait.owner === link) wait.end([], now);
    queue.entity.touch(now);
  },
  releaseLink({ queue, sessionLock }) {
    sessionLock?.session.table.lose(sessionLock, "countedIfSettled", queue.timeline.now());
  },
  renewSession(link) {
    const { sessionLock } = link;
    sessionLock.session.table.renew(sessionLock, enter(link));
  },
  sessionState(link) {
    const { state } = heldSession(link);
    return state === undefined ? undefined : new Uint8Array(state);
  },
  setSessionState(link, state) {
    const session = heldSession(link);
    const { entity, timeline } = link.queue;
    if (state !== undefined) {
      checkStateSize(entity, state.byteLength);
      checkRoom(sizedEntity(entity), state.byteLength - (session.state?.byteLength ?? 0));
    }
    session.table.setState(session, state, timeline.latest);
  },
};

function receive(
  link: MemoryLink,
  { maxMessages, maxWaitTimeInMs, abortSignal }: ReceiveOptions,
): Answer<readonly Delivery[]> {
  const { queue } = link;
  const now = enter(link);
  queue.entity.touch(now);
  const { receiveRefusal } = queue;
  if (receiveRefusal !== undefined) throw receiveRefusal;
  if (abortSignal?.aborted === true) return [];
  const { waiting } = queue.laneOf(link);
  // Receives that have waited longer are served first, unless this call does not wait at all.
  if (waiting.first === undefined || maxWaitTimeInMs === 0) {
    const deliveries = queue.take(link, maxMessages, now);
    if (deliveries.length > 0 || maxWaitTimeInMs === 0) return deliveries;
  }
  return waitInLane(link, maxMessages, abortSignal, now + maxWaitTimeInMs);
}

// Not in `receive`, which would make room for the closure in every call.
function waitInLane(
  link: MemoryLink,
  maxMessages: number,
  abortSignal: AbortSignal | undefined,
  until: number,
): Promise<readonly Delivery[]> {
  const { queue } = link;
  const take = (now: number): readonly Delivery[] => queue.take(link, maxMessages, now);
  const list = queue.laneOf(link).waiting;
  return WaitingReceive.begin({ owner: link, timeline: queue.timeline, list, take, abortSignal }, until);
}

/** The current time. @throws SobreError `MessagingEntityNotFound`. */
function enter({ queue, sessionLock }: MemoryLink): number {
  const now = queue.timeline.now();
  queue.checkAlive();
  if (sessionLock !== undefined) queue.timeline.catchUp(sessionLock);
  return now;
}

function heldSession(link: MemoryLink & SessionLink): MemorySession {
  enter(link);
  const { session, held } = link.sessionLock;
  if (!held) throw sessionLockLost(session.id, link.queue.address);
  return session;
}
