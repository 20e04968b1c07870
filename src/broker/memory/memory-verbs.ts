import type { LockToken, Settlement } from "../../core/engine/delivery.ts";
import type { ConnectOptions, Engine } from "../../core/engine/engine.ts";
import { sessionLockLost } from "../../core/engine/refusals.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { sizeOfEnvelope } from "../../core/envelope/size-of.ts";
import type { BrokerVerbs } from "../policy/broker-verbs.ts";
import { BrokerConnection } from "../policy/connection.ts";
import type { SendableEntity } from "../policy/entities.ts";
import type { Incoming } from "../policy/incoming.ts";
import { partitionKeyOf } from "../policy/partitions.ts";
import { lockedBySession, settledInTransaction } from "../policy/refusals.ts";
import { type DecidedSettlement, decideSettlement } from "../policy/settlement.ts";
import { type HoldingConnection, takenFrom } from "./bytes/handed-envelope.ts";
import type { EntityContents } from "./entity.ts";
import { countsOf, deadLettersOf, sessionsOf } from "./inspection.ts";
import { type MessageQueue, type QueueReceiveLink, sessionOf } from "./message-queue.ts";
import type { MemoryNamespace, NamespaceHome } from "./namespace.ts";
import type { QueuedMessage } from "./queued-message.ts";
import { acceptSession } from "./accept-session.ts";
import { type MemoryLink, receiveVerbs } from "./receiving.ts";
import { settleHeld, settlementOperation } from "./settle-held.ts";
import { MemoryEngineTransaction, sendOperation } from "./transaction.ts";

/** The verbs of a connection to a memory engine. */
export type MemoryVerbs = BrokerVerbs<EntityContents, MessageQueue, MemoryEngineTransaction, MemoryLink>;

/** The connection as the holder of its locks. */
export const holderOf = ({ sharesBytes = false, name }: ConnectOptions = {}): HoldingConnection => ({
  sharesBytes,
  label: name,
});

/** The verbs of a connection, carried out in memory within the call. */
export function memoryVerbs(home: NamespaceHome, holder: HoldingConnection): MemoryVerbs {
  const now = (): number => home.namespace.timeline.now();
  const sent = (given: Envelope): Incoming<bigint> => ({
    envelope: takenFrom(holder, given),
    size: sizeOfEnvelope(given),
    hops: 0,
    enqueuedSequenceNumber: undefined,
    deadLetter: undefined,
  });
  return {
    name: "memory",
    now,
    catchUp: () => void now(),
    find: (look) => look(home.namespace.directory),
    knownQueue: (address) => home.namespace.directory.queue(address),

    look: (find) => find(home.namespace.directory),
    change: (decide) => home.namespace.change(decide(home.namespace.directory)),
    measure: (entity) => entity.measure(),
    clear: (find) => home.namespace.clear(find(home.namespace.directory)),
    counts: countsOf,
    sessions: sessionsOf,
    deadLetters: deadLettersOf,

    maxMessageSize: ({ settings }) => settings.maxMessageSizeInBytes,
    send(route, envelopes) {
      const { router, timeline } = home.namespace;
      const messages = envelopes.map(sent);
      router.check(route, messages);
      router.send(route, messages, timeline.latest);
      return undefined;
    },
    sendIn(transaction, route, envelopes) {
      const { router } = home.namespace;
      const messages = envelopes.map(sent);
      const check = (reserved: number): number => router.check(route, messages, reserved);
      const first = route.through ?? route.target;
      transaction.add(sendOperation(first, check, (later) => router.send(route, messages, later)));
    },
    ...receiveVerbs,
    openReceiver: (queue, receiveMode) => ({ queue, receiveMode, holder, sessionLock: undefined }),
    async acceptSession(queue, request) {
      const sessionLock = await acceptSession(queue, request, holder);
      return { queue, receiveMode: request.receiveMode, holder, sessionLock };
    },

    used: ({ entity }) => entity.touch(now()),
    peek: ({ store }, options) => store.peek(options, holder),
    receiveDeferred(queue, sequenceNumbers, { receiveMode, sessionId = "" }) {
      const at = now();
      queue.entity.touch(at);
      const link: QueueReceiveLink = { receiveMode, holder };
      if (queue.sessions === undefined) return queue.takeDeferred(sequenceNumbers, link, at);
      const sessionLock = queue.sessions.find(sessionId)?.lock;
      if (sessionLock?.holder !== link.holder) throw sessionLockLost(sessionId, queue.address);
      return queue.takeDeferred(sequenceNumbers, { ...link, sessionLock }, at);
    },
    schedule: (entity, envelopes, transaction) => schedule(home.namespace, entity, envelopes.map(sent), transaction),
    cancel: (queue, sequenceNumbers) => queue.cancel(sequenceNumbers),
    settle(queue, lockToken, settlement) {
      const message = held(queue, lockToken);
      if (settlement.kind === "complete") queue.remove(message);
      else settleHeld(queue, message, decided(queue, message, settlement), home.namespace.timeline.latest);
      return undefined;
    },
    settleIn: (transaction, queue, lockToken, settlement) =>
      transaction.add(settlementOperation(queue, lockToken, decided(queue, held(queue, lockToken), settlement))),
    renew(queue, lockToken) {
      const message = queue.held(lockToken);
      if (sessionOf(message) !== undefined) throw lockedBySession();
      return new Date(queue.renew(message, now()));
    },
    deleteMessages(queue, { maxMessages, beforeEnqueueTime, sessionId }) {
      const before = beforeEnqueueTime?.getTime() ?? Infinity;
      return queue.deleteMessages(
        maxMessages,
        (message) => message.enqueuedAt < before && (sessionId === undefined || message.sessionId === sessionId),
      );
    },
    listSessions: ({ sessions }, options) => sessions?.list(options) ?? [],

    begin: (onEnd) => new MemoryEngineTransaction(home.namespace.timeline, onEnd),
    connect: (options) => memoryVerbs(home, holderOf(options)),
    release(linksClosed) {
      const at = now();
      for (const queue of home.namespace.queues()) queue.release(holder, at);
      return linksClosed;
    },
  };
}

function schedule(
  { router, timeline }: MemoryNamespace,
  entity: SendableEntity<EntityContents>,
  messages: readonly Incoming<bigint>[],
  transaction: MemoryEngineTransaction | undefined,
): readonly bigint[] {
  const check = (reserved: number): number => router.check({ target: entity, through: undefined }, messages, reserved);
  if (transaction === undefined) {
    check(0);
    return messages.map((message) => router.schedule(entity, message, timeline.latest));
  }
  const numbers: bigint[] = [];
  const scheduleAll = (now: number): void =>
    messages.forEach((message, index) => router.schedule(entity, message, now, numbers[index]));
  transaction.add(sendOperation(entity, check, scheduleAll));
  const { store } = entity.queue("messages");
  for (const { envelope } of messages) numbers.push(store.skipNumber(partitionKeyOf(envelope)));
  return numbers;
}

/** The message that a token holds, and that no open transaction settles. */
function held(queue: MessageQueue, lockToken: LockToken): QueuedMessage {
  const message = queue.held(lockToken);
  if (message.lock?.transaction !== undefined) throw settledInTransaction();
  return message;
}

function decided(queue: MessageQueue, { envelope }: QueuedMessage, settlement: Settlement): DecidedSettlement {
  const { facts } = queue.entity;
  return decideSettlement(queue, envelope, settlement, (changed) => facts?.check(changed));
}

/** Opens a connection to a namespace in memory. */
export const memoryConnection = (namespace: MemoryNamespace, onEnd?: () => void): Engine =>
  new BrokerConnection(memoryVerbs({ namespace }, holderOf()), onEnd);
