import type {
  AcceptSessionOptions,
  ConnectOptions,
  DeleteOptions,
  Engine,
  EngineReceiver,
  EngineSender,
  EngineSessionReceiver,
  ListSessionsOptions,
  OpenReceiverOptions,
  OpenSenderOptions,
  PeekOptions,
  ReceiveDeferredOptions,
  Transaction,
  TransactionOption,
} from "../../core/engine/engine.ts";
import {
  checkEngineOptions,
  checkEnvelopes,
  checkSequenceNumbers,
  checkSettlement,
} from "../../core/engine/arguments.ts";
import { boundSends } from "../../core/engine/bounded-sender.ts";
import { type Capabilities, nativeCapabilities } from "../../core/engine/capabilities.ts";
import type { Delivery, LockToken, Settlement } from "../../core/engine/delivery.ts";
import type { EngineAdmin } from "../../core/engine/admin.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { EngineInspection } from "../../core/engine/inspection.ts";
import { acceptSession } from "./accept-session.ts";
import { memoryAdmin } from "./admin.ts";
import { sent } from "./incoming.ts";
import { memoryInspection } from "./inspection.ts";
import { type MessageQueue, type ReceiveLink, sessionOf } from "./message-queue.ts";
import type { Namespace } from "./namespace.ts";
import type { Holder } from "./bytes/handed-envelope.ts";
import { MemoryReceiver } from "./receiver.ts";
import { closed, entityDisabled, invalidOperation, sessionLockLost } from "../../core/engine/refusals.ts";
import { done, MemorySender, type SenderConnection } from "./sender.ts";
import { decide, settlementOperation } from "./settlement.ts";
import { MemoryTransaction } from "./transaction.ts";

interface Closable {
  close(): Promise<void>;
  /** Closes without releasing locks. */
  abort(): Promise<void>;
}

/** A connection to a namespace; closing it releases its locks. */
export class MemoryConnection implements Engine, Holder {
  readonly name = "memory";
  readonly capabilities: Capabilities = nativeCapabilities;
  readonly admin: EngineAdmin;
  readonly inspection: EngineInspection;
  readonly #namespace: Namespace;
  /** Links and connections that close with this one. */
  readonly #open = new Set<Closable>();
  readonly #transactions = new Set<MemoryTransaction>();
  readonly #ofSenders: SenderConnection;
  readonly sharesBytes: boolean;
  readonly label: string | undefined;
  readonly #onEnd: (ended: MemoryConnection) => void;
  #closed = false;

  /** @param onEnd Called once the connection has ended, for whatever reason. */
  constructor(
    namespace: Namespace,
    { sharesBytes = false, name }: ConnectOptions = {},
    onEnd: (ended: MemoryConnection) => void = () => undefined,
  ) {
    this.#namespace = namespace;
    this.#onEnd = onEnd;
    this.sharesBytes = sharesBytes;
    this.label = name;
    this.#ofSenders = {
      sharesBytes,
      closed: (link) => void this.#open.delete(link),
      transactionOf: (transaction) => this.#transactionOf(transaction),
    };
    this.admin = memoryAdmin(namespace, () => this.#enter());
    this.inspection = memoryInspection(namespace, () => this.#enter());
  }

  async openSender(entity: string, options: OpenSenderOptions = {}): Promise<EngineSender> {
    this.#enter();
    checkEngineOptions.openSender(options);
    const { via, maxInFlight } = options;
    const target = this.#namespace.sendable(entity);
    const through = via === undefined ? undefined : this.#namespace.queueEntity(via);
    const sender = new MemorySender(this.#namespace, { target, through }, this.#ofSenders);
    this.#keep(sender);
    return maxInFlight === undefined ? sender : boundSends(sender, maxInFlight);
  }

  async openReceiver(entity: string, options: OpenReceiverOptions): Promise<EngineReceiver> {
    this.#enter();
    checkEngineOptions.openReceiver(options);
    const { receiveMode } = options;
    const owner = this.#namespace.receivable(entity);
    const queue = this.#namespace.queue(entity);
    if (queue === owner.messages) owner.checkReceive();
    if (queue.sessions !== undefined)
      throw invalidOperation(`'${entity}' requires sessions. Accept a session instead of opening a receiver.`);
    const link = { receiveMode, holder: this };
    return this.#keep(new MemoryReceiver(owner, queue, link, (receiver) => this.#open.delete(receiver)));
  }

  async acceptSession(entity: string, options: AcceptSessionOptions): Promise<EngineSessionReceiver> {
    const now = this.#enter();
    checkEngineOptions.acceptSession(options);
    const owner = this.#namespace.receivable(entity);
    const queue = this.#namespace.queue(entity);
    owner.touch(now);
    const onClose = (link: Closable): void => void this.#open.delete(link);
    const onWait = (end: () => void): (() => void) => {
      const waiting = { close: async () => end(), abort: async () => end() };
      this.#open.add(waiting);
      return () => onClose(waiting);
    };
    return this.#keep(await acceptSession(owner, queue, { options, holder: this, onClose, onWait }));
  }

  async peek(entity: string, options: PeekOptions): Promise<readonly Delivery[]> {
    this.#enter();
    checkEngineOptions.peek(options);
    const { settings, address } = this.#namespace.entity(entity);
    if (settings.status === "Disabled") throw entityDisabled(address, settings.status);
    return this.#namespace.queue(entity).store.peek(options, this);
  }

  async receiveDeferred(
    entity: string,
    sequenceNumbers: readonly bigint[],
    options: ReceiveDeferredOptions,
  ): Promise<readonly Delivery[]> {
    const now = this.#enter();
    checkEngineOptions.receiveDeferred(options);
    checkSequenceNumbers(sequenceNumbers);
    const { receiveMode, sessionId } = options;
    const owner = this.#namespace.receivable(entity);
    const queue = this.#namespace.queue(entity);
    owner.touch(now);
    if (queue === owner.messages) owner.checkReceive();
    return queue.takeDeferred(sequenceNumbers, sessionLink(queue, { receiveMode, holder: this }, sessionId), now);
  }

  async schedule(
    entity: string,
    envelopes: readonly Envelope[],
    options: TransactionOption = {},
  ): Promise<readonly bigint[]> {
    const now = this.#enter();
    checkEngineOptions.schedule(options);
    checkEnvelopes(envelopes);
    const { transaction } = options;
    const { intake } = this.#namespace.sendable(entity);
    if (envelopes.some(({ brokerProperties }) => brokerProperties.scheduledEnqueueTimeUtc === undefined))
      throw invalidOperation("A scheduled message needs a scheduledEnqueueTimeUtc.");
    const messages = envelopes.map((envelope) => sent(this, envelope));
    intake.checkSend(messages);
    if (transaction === undefined) return messages.map((message) => intake.schedule(message, now));
    return intake.scheduleIn(this.#transactionOf(transaction), messages);
  }

  async cancel(entity: string, sequenceNumbers: readonly bigint[]): Promise<void> {
    this.#enter();
    checkSequenceNumbers(sequenceNumbers);
    this.#namespace.queue(entity).cancel(sequenceNumbers);
  }

  settle(entity: string, lockToken: LockToken, settlement: Settlement, options?: TransactionOption): Promise<void> {
    try {
      this.#settle(entity, lockToken, settlement, options);
      return done;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #settle(entity: string, lockToken: LockToken, settlement: Settlement, options?: TransactionOption): void {
    const now = this.#enter();
    checkSettlement(settlement);
    const queue = this.#namespace.queue(entity);
    const message = queue.held(lockToken);
    if (message.lock?.transaction !== undefined)
      throw invalidOperation(
        "The message is already settled in a transaction that is still open. Commit or roll back that one first.",
      );
    if (settlement.kind === "complete" && options?.transaction === undefined) {
      queue.remove(message);
      return;
    }
    const decision = decide(queue, message, settlement);
    if (options?.transaction === undefined) decision(now);
    else this.#transactionOf(options.transaction).add(settlementOperation(queue, lockToken, decision));
  }

  async renew(entity: string, lockToken: LockToken): Promise<Date> {
    const now = this.#enter();
    const queue = this.#namespace.queue(entity);
    const message = queue.held(lockToken);
    if (sessionOf(message) !== undefined)
      throw invalidOperation("The session's lock covers its messages. Renew the session's lock instead.");
    return new Date(queue.renew(message, now));
  }

  async deleteMessages(entity: string, options: DeleteOptions): Promise<number> {
    this.#enter();
    checkEngineOptions.deleteMessages(options);
    const { maxMessages, beforeEnqueueTime, sessionId } = options;
    const before = beforeEnqueueTime?.getTime() ?? Infinity;
    return this.#namespace
      .queue(entity)
      .deleteMessages(
        maxMessages,
        (message) => message.enqueuedAt < before && (sessionId === undefined || message.sessionId === sessionId),
      );
  }

  async listSessions(entity: string, options: ListSessionsOptions = {}): Promise<readonly string[]> {
    this.#enter();
    checkEngineOptions.listSessions(options);
    const { sessions } = this.#namespace.queue(entity);
    if (sessions === undefined) throw invalidOperation(`'${entity}' has no sessions.`);
    return sessions.list(options);
  }

  async begin(): Promise<Transaction> {
    this.#enter();
    const transaction = new MemoryTransaction(this.#namespace.timeline, (ended) => this.#transactions.delete(ended));
    this.#transactions.add(transaction);
    return transaction;
  }

  async connect(options?: ConnectOptions): Promise<Engine> {
    this.#enter();
    if (options !== undefined) checkEngineOptions.connect(options);
    return this.#keep(new MemoryConnection(this.#namespace, options, (ended) => this.#open.delete(ended)));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const now = this.#end();
    const closing = [...this.#open].map((link) => link.close());
    for (const queue of this.#namespace.queues()) queue.release(this, now);
    await Promise.all(closing);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async abort(): Promise<void> {
    if (this.#closed) return;
    this.#end();
    await Promise.all([...this.#open].map((link) => link.abort()));
  }

  /** Stops accepting calls, and rolls back open transactions. */
  #end(): number {
    const now = this.#namespace.timeline.now();
    this.#closed = true;
    for (const transaction of this.#transactions) transaction.undo();
    this.#onEnd(this);
    return now;
  }

  #keep<T extends Closable>(link: T): T {
    this.#open.add(link);
    return link;
  }

  /** The time, after applying everything due. @throws SobreError `Closed`. */
  #enter(): number {
    if (this.#closed) throw closed("engine");
    return this.#namespace.timeline.now();
  }

  #transactionOf(transaction: Transaction): MemoryTransaction {
    if (transaction instanceof MemoryTransaction && this.#transactions.has(transaction)) return transaction;
    throw invalidOperation(
      "The transaction is over, or it was begun on another connection. Begin one on this connection.",
    );
  }
}

/**
 * The link under which deferred messages are received: on session entities, the link that holds the session.
 *
 * @throws SobreError `InvalidOperation` without a session id, `SessionLockLost` when the connection does not hold it.
 */
function sessionLink(
  { sessions, policy }: MessageQueue,
  link: ReceiveLink,
  sessionId: string | undefined,
): ReceiveLink {
  if (sessions === undefined) return link;
  if (sessionId === undefined)
    throw invalidOperation("Deferred messages of a session entity are received with their sessionId.");
  const sessionLock = sessions.find(sessionId)?.lock;
  if (sessionLock?.holder !== link.holder) throw sessionLockLost(sessionId, policy.address);
  return { ...link, sessionLock };
}
