import type { Delivery, LockToken, ReceiveMode, Settlement } from "../../core/engine/delivery.ts";
import type {
  ConnectOptions,
  DeleteOptions,
  Engine,
  ListSessionsOptions,
  PeekOptions,
  ReceiveDeferredOptions,
  Transaction,
} from "../../core/engine/engine.ts";
import type {
  DeadLetterSums,
  SessionInspection,
  StateCounts,
  SumDeadLettersOptions,
} from "../../core/engine/inspection.ts";
import { sessionLockLost } from "../../core/engine/refusals.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { EntityMeasure } from "../policy/administration.ts";
import type { BrokerVerbs, LinkOwner, SessionRequest } from "../policy/broker-verbs.ts";
import { BrokerConnection } from "../policy/connection.ts";
import type { Directory, EntityLookup } from "../policy/directory.ts";
import type { EntityChange } from "../policy/entity-changes.ts";
import type { SendableEntity } from "../policy/entities.ts";
import { partitionKeyOf } from "../policy/partitions.ts";
import { lockedBySession, noSessions, settledInTransaction } from "../policy/refusals.ts";
import { checkSessionIds, type SendRoute } from "../policy/router.ts";
import { type DecidedSettlement, decideSettlement } from "../policy/settlement.ts";
import { acceptSession } from "./accept-session.ts";
import type { HoldingConnection } from "./bytes/handed-envelope.ts";
import type { EntityContents, MemoryEntity } from "./entity.ts";
import { countsOf, deadLettersOf, sessionsOf } from "./inspection.ts";
import { type MessageQueue, type QueueReceiveLink, sessionOf } from "./message-queue.ts";
import type { MemoryNamespace } from "./namespace.ts";
import type { QueuedMessage } from "./queued-message.ts";
import { MemoryReceiver } from "./receiver.ts";
import { MemorySender, sent } from "./sender.ts";
import { MemorySessionReceiver } from "./session-receiver.ts";
import { settleHeld, settlementOperation } from "./settle-held.ts";
import { MemoryEngineTransaction, sendOperation } from "./transaction.ts";

type Owner = LinkOwner<MemoryEngineTransaction>;

/** The verbs of a connection, carried out in memory within the call. */
class MemoryVerbs implements BrokerVerbs<EntityContents, MessageQueue, MemoryEngineTransaction>, HoldingConnection {
  readonly name = "memory";
  readonly sharesBytes: boolean;
  readonly label: string | undefined;
  readonly #namespace: MemoryNamespace;

  constructor(namespace: MemoryNamespace, { sharesBytes = false, name }: ConnectOptions = {}) {
    this.#namespace = namespace;
    this.sharesBytes = sharesBytes;
    this.label = name;
  }

  counts(queue: MessageQueue): StateCounts {
    return countsOf(queue);
  }

  sessions(queue: MessageQueue, skip: number, maxSessions: number): readonly SessionInspection[] {
    return sessionsOf(queue, skip, maxSessions);
  }

  deadLetters(queue: MessageQueue, options: SumDeadLettersOptions): DeadLetterSums {
    return deadLettersOf(queue, options);
  }

  look<T>(find: (entities: EntityLookup<EntityContents>) => T): T {
    return find(this.#namespace.directory);
  }

  change(decide: (entities: EntityLookup<EntityContents>) => EntityChange<EntityContents>): void {
    this.#namespace.change(decide(this.#namespace.directory));
  }

  measure(entity: MemoryEntity): EntityMeasure {
    return entity.measure();
  }

  clear(find: (entities: EntityLookup<EntityContents>) => MemoryEntity): void {
    this.#namespace.clear(find(this.#namespace.directory));
  }

  catchUp(): undefined {
    this.#namespace.timeline.now();
  }

  now(): number {
    return this.#namespace.timeline.now();
  }

  find<T>(look: (entities: Directory<EntityContents, MessageQueue>) => T): T {
    return look(this.#namespace.directory);
  }

  knownQueue(address: string): MessageQueue {
    return this.#namespace.directory.queue(address);
  }

  openSender(route: SendRoute<EntityContents>, owner: Owner): MemorySender {
    return new MemorySender(this.#namespace.router, route, this, owner);
  }

  openReceiver(queue: MessageQueue, receiveMode: ReceiveMode, owner: Owner): MemoryReceiver {
    return new MemoryReceiver(queue, { receiveMode, holder: this }, owner);
  }

  async acceptSession(queue: MessageQueue, request: SessionRequest, owner: Owner): Promise<MemorySessionReceiver> {
    const { sessions, address, entity } = queue;
    if (sessions === undefined) throw noSessions(address);
    entity.touch(this.now());
    const sessionLock = await acceptSession(queue, sessions, request, this);
    const link = { receiveMode: request.receiveMode, holder: this, sessionLock };
    return new MemorySessionReceiver(queue, link, owner);
  }

  peek({ store, entity }: MessageQueue, options: PeekOptions): readonly Delivery[] {
    entity.touch(this.now());
    return store.peek(options, this);
  }

  receiveDeferred(
    queue: MessageQueue,
    sequenceNumbers: readonly bigint[],
    { receiveMode, sessionId = "" }: ReceiveDeferredOptions,
  ): readonly Delivery[] {
    const now = this.now();
    queue.entity.touch(now);
    const link: QueueReceiveLink = { receiveMode, holder: this };
    if (queue.sessions === undefined) return queue.takeDeferred(sequenceNumbers, link, now);
    const sessionLock = queue.sessions.find(sessionId)?.lock;
    if (sessionLock?.holder !== link.holder) throw sessionLockLost(sessionId, queue.address);
    return queue.takeDeferred(sequenceNumbers, { ...link, sessionLock }, now);
  }

  schedule(
    entity: SendableEntity<EntityContents>,
    envelopes: readonly Envelope[],
    transaction: MemoryEngineTransaction | undefined,
  ): readonly bigint[] {
    const { router } = this.#namespace;
    const { store } = entity.queue("messages");
    const messages = envelopes.map((envelope) => sent(this, envelope));
    const check = (reserved: number): number => {
      entity.queue("messages").checkAlive();
      checkSessionIds({ target: entity, through: undefined }, messages);
      return router.check(entity, messages, reserved);
    };
    const cost = check(0);
    if (transaction === undefined) {
      const now = this.now();
      return messages.map((message) => router.schedule(entity, message, now));
    }
    const numbers: bigint[] = [];
    const operation = sendOperation(entity.meter.memory, cost, {
      check: (reservations) => reservations.reserve(entity, check),
      apply: (now) => messages.forEach((message, index) => router.schedule(entity, message, now, numbers[index])),
    });
    transaction.add(operation);
    for (const { envelope } of messages) numbers.push(store.skipNumber(partitionKeyOf(envelope)));
    return numbers;
  }

  cancel(queue: MessageQueue, sequenceNumbers: readonly bigint[]): void {
    queue.entity.touch(this.now());
    queue.cancel(sequenceNumbers);
  }

  settle(queue: MessageQueue, lockToken: LockToken, settlement: Settlement): undefined {
    const message = held(queue, lockToken);
    if (settlement.kind === "complete") queue.remove(message);
    else settleHeld(queue, message, decided(queue, message, settlement), this.now());
  }

  settleIn(
    transaction: MemoryEngineTransaction,
    queue: MessageQueue,
    lockToken: LockToken,
    settlement: Settlement,
  ): void {
    const message = held(queue, lockToken);
    transaction.add(settlementOperation(queue, lockToken, decided(queue, message, settlement)));
  }

  renew(queue: MessageQueue, lockToken: LockToken): Date {
    const message = queue.held(lockToken);
    if (sessionOf(message) !== undefined) throw lockedBySession();
    const now = this.now();
    queue.entity.touch(now);
    return new Date(queue.renew(message, now));
  }

  deleteMessages(queue: MessageQueue, { maxMessages, beforeEnqueueTime, sessionId }: DeleteOptions): number {
    const before = beforeEnqueueTime?.getTime() ?? Infinity;
    queue.entity.touch(this.now());
    return queue.deleteMessages(
      maxMessages,
      (message) => message.enqueuedAt < before && (sessionId === undefined || message.sessionId === sessionId),
    );
  }

  listSessions({ sessions, entity }: MessageQueue, options: ListSessionsOptions): readonly string[] {
    entity.touch(this.now());
    return sessions?.list(options) ?? [];
  }

  begin(onEnd: (ended: Transaction) => void): MemoryEngineTransaction {
    return new MemoryEngineTransaction(this.#namespace.timeline, onEnd);
  }

  connect(options: ConnectOptions | undefined): MemoryVerbs {
    return new MemoryVerbs(this.#namespace, options);
  }

  release(linksClosed: Promise<unknown>): Promise<unknown> {
    const now = this.now();
    for (const queue of this.#namespace.queues()) queue.release(this, now);
    return linksClosed;
  }
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
  new BrokerConnection(new MemoryVerbs(namespace), onEnd);
