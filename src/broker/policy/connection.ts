import type { EngineAdmin } from "../../core/engine/admin.ts";
import {
  checkEngineOptions,
  checkEnvelopes,
  checkSequenceNumbers,
  checkSettlement,
} from "../../core/engine/arguments.ts";
import { boundedSender } from "../../core/engine/bounded-sender.ts";
import { type Capabilities, nativeCapabilities } from "../../core/engine/capabilities.ts";
import type { Delivery, LockToken, Settlement } from "../../core/engine/delivery.ts";
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
import type { EngineInspection } from "../../core/engine/inspection.ts";
import { closed, invalidOperation } from "../../core/engine/refusals.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { administration } from "./administration.ts";
import { afterwards, type Answer, done } from "./answer.ts";
import type { BrokerVerbs, Closable, LinkOwner, OpenTransaction, ReceiverLink } from "./broker-verbs.ts";
import type { Directory } from "./directory.ts";
import type { EntityQueue } from "./entities.ts";
import { queueInspection } from "./queue-inspection.ts";
import { BrokerReceiver, BrokerSessionReceiver } from "./receiver.ts";
import { foreignTransaction, noSessions, transactionOver } from "./refusals.ts";
import type { SendRoute } from "./router.ts";
import { BrokerSender } from "./sender.ts";

/** A connection to a broker: checks what it is asked, and leaves the rest to the verbs of a store. Closing it releases its locks. */
export class BrokerConnection<
  Own,
  Queue extends EntityQueue<unknown>,
  Enlisted,
  Link extends ReceiverLink,
> implements Engine {
  readonly name: string;
  readonly capabilities: Capabilities = nativeCapabilities;
  readonly admin: EngineAdmin;
  readonly inspection: EngineInspection;
  readonly #verbs: BrokerVerbs<Own, Queue, Enlisted, Link>;
  /** Links and connections that close with this one. */
  readonly #links = new Set<Closable>();
  readonly #transactions = new Map<Transaction, Enlisted & OpenTransaction>();
  readonly #endedTransactions = new WeakSet<Transaction>();
  readonly #owner: LinkOwner<Enlisted>;
  readonly #onEnd: (ended: Closable) => Answer<unknown>;
  #closed = false;

  /** @param onEnd Called once the connection has ended, for whatever reason. */
  constructor(
    verbs: BrokerVerbs<Own, Queue, Enlisted, Link>,
    onEnd: (ended: Closable) => Answer<unknown> = () => undefined,
  ) {
    this.#verbs = verbs;
    this.#onEnd = onEnd;
    this.name = verbs.name;
    this.#owner = {
      enter: (verb) => this.#enter(verb),
      closed: (link) => void this.#links.delete(link),
      enlisted: (transaction) => this.#enlisted(transaction),
      runIn: (transaction, verb) => this.#enterIn(transaction, verb),
    };
    this.admin = administration(verbs, (verb) => this.#enter(verb));
    this.inspection = queueInspection(verbs, (address, goOn) => this.#enter(() => this.#at(address, goOn)));
  }

  openSender(entity: string, options: OpenSenderOptions = {}): Promise<EngineSender> {
    return this.#enter(() => {
      checkEngineOptions.openSender(options);
      const { via, maxInFlight } = options;
      const look = (entities: Directory<Own, Queue>): SendRoute<Own> => ({
        target: entities.sendable(entity),
        through: via === undefined ? undefined : entities.queueEntity(via),
      });
      return afterwards(this.#verbs.find(look), (route) => {
        const sender = this.#keep(new BrokerSender(this.#verbs, route, this.#owner));
        return maxInFlight === undefined ? sender : boundedSender(sender, maxInFlight);
      });
    });
  }

  openReceiver(entity: string, options: OpenReceiverOptions): Promise<EngineReceiver> {
    return this.#enter(() => {
      checkEngineOptions.openReceiver(options);
      return afterwards(this.#receivable(entity), (queue) => {
        if (queue.requiresSession)
          throw invalidOperation(`'${entity}' requires sessions. Accept a session instead of opening a receiver.`);
        const link = this.#verbs.openReceiver(queue, options.receiveMode);
        return this.#keep(new BrokerReceiver(this.#verbs, link, this.#owner));
      });
    });
  }

  async acceptSession(entity: string, options: AcceptSessionOptions): Promise<EngineSessionReceiver> {
    this.#checkOpen();
    checkEngineOptions.acceptSession(options);
    const request = { ...options, deadline: this.#verbs.now() + options.maxWaitTimeInMs, onWait: this.#onWait };
    return this.#enter(() =>
      afterwards(this.#receivable(entity), async (queue) => {
        if (!queue.requiresSession)
          throw invalidOperation(`'${entity}' does not use sessions. Open a receiver without a session.`);
        const link = await this.#verbs.acceptSession(queue, request);
        return this.#keep(new BrokerSessionReceiver(this.#verbs, link, this.#owner));
      }),
    );
  }

  peek(entity: string, options: PeekOptions): Promise<readonly Delivery[]> {
    return this.#enter(() => {
      checkEngineOptions.peek(options);
      return this.#at(entity, (queue) => {
        const { peekRefusal } = queue;
        if (peekRefusal !== undefined) throw peekRefusal;
        return this.#using(queue, () => this.#verbs.peek(queue, options));
      });
    });
  }

  receiveDeferred(
    entity: string,
    sequenceNumbers: readonly bigint[],
    options: ReceiveDeferredOptions,
  ): Promise<readonly Delivery[]> {
    return this.#enter(() => {
      checkEngineOptions.receiveDeferred(options);
      checkSequenceNumbers(sequenceNumbers);
      return afterwards(this.#receivable(entity), (queue) => {
        if (queue.requiresSession && options.sessionId === undefined)
          throw invalidOperation("Deferred messages of a session entity are received with their sessionId.");
        return this.#verbs.receiveDeferred(queue, sequenceNumbers, options);
      });
    });
  }

  async schedule(
    entity: string,
    envelopes: readonly Envelope[],
    options: TransactionOption = {},
  ): Promise<readonly bigint[]> {
    this.#checkOpen();
    checkEngineOptions.schedule(options);
    checkEnvelopes(envelopes);
    const work = this.#enlistedIn(options);
    return this.#enterIn(work, () =>
      afterwards(
        this.#verbs.find((entities) => entities.sendable(entity)),
        (target) => {
          if (envelopes.some(({ brokerProperties }) => brokerProperties.scheduledEnqueueTimeUtc === undefined))
            throw invalidOperation("A scheduled message needs a scheduledEnqueueTimeUtc.");
          return this.#verbs.schedule(target, envelopes, work);
        },
      ),
    );
  }

  cancel(entity: string, sequenceNumbers: readonly bigint[]): Promise<void> {
    return this.#enter(() => {
      checkSequenceNumbers(sequenceNumbers);
      return this.#at(entity, (queue) => this.#using(queue, () => this.#verbs.cancel(queue, sequenceNumbers)));
    });
  }

  settle(entity: string, lockToken: LockToken, settlement: Settlement, options?: TransactionOption): Promise<void> {
    let due: Promise<void> | undefined;
    try {
      this.#checkOpen();
      const work = this.#enlistedIn(options);
      if (work !== undefined) return this.#settleIn(work, entity, lockToken, settlement);
      checkSettlement(settlement);
      // Without a closure, since messages are settled one by one.
      due = this.#verbs.catchUp();
      const queue = due === undefined ? this.#verbs.knownQueue(entity) : undefined;
      if (queue !== undefined) return this.#verbs.settle(queue, lockToken, settlement) ?? done;
    } catch (error) {
      return Promise.reject(error);
    }
    const settleThere = (queue: Queue): Answer<void> => this.#verbs.settle(queue, lockToken, settlement);
    return (due ?? done).then(() => this.#at(entity, settleThere));
  }

  async #settleIn(work: Enlisted, entity: string, lockToken: LockToken, settlement: Settlement): Promise<void> {
    // Even if the connection closes before the call is carried out.
    const takeBack = this.#verbs.noteSettlement?.(lockToken, settlement);
    try {
      await this.#enterIn(work, () => {
        checkSettlement(settlement);
        return this.#at(entity, (queue) => this.#verbs.settleIn(work, queue, lockToken, settlement));
      });
    } catch (error) {
      if (!this.#closed) takeBack?.();
      throw error;
    }
  }

  renew(entity: string, lockToken: LockToken): Promise<Date> {
    return this.#enter(() =>
      this.#at(entity, (queue) => this.#using(queue, () => this.#verbs.renew(queue, lockToken))),
    );
  }

  deleteMessages(entity: string, options: DeleteOptions): Promise<number> {
    return this.#enter(() => {
      checkEngineOptions.deleteMessages(options);
      return this.#at(entity, (queue) => this.#using(queue, () => this.#verbs.deleteMessages(queue, options)));
    });
  }

  listSessions(entity: string, options: ListSessionsOptions = {}): Promise<readonly string[]> {
    return this.#enter(() => {
      checkEngineOptions.listSessions(options);
      return this.#at(entity, (queue) => {
        if (!queue.requiresSession) throw noSessions(entity);
        return this.#using(queue, () => this.#verbs.listSessions(queue, options));
      });
    });
  }

  begin(): Promise<Transaction> {
    return this.#enter(() => {
      const transaction = this.#verbs.begin((ended) => {
        this.#transactions.delete(ended);
        this.#endedTransactions.add(ended);
      });
      this.#transactions.set(transaction, transaction);
      return transaction;
    });
  }

  connect(options?: ConnectOptions): Promise<Engine> {
    return this.#enter(() => {
      if (options !== undefined) checkEngineOptions.connect(options);
      const { onEntityDeleted } = options ?? {};
      const listen = (entities: Directory<Own, Queue>): (() => void) | undefined =>
        onEntityDeleted && entities.onDeletion(onEntityDeleted);
      return afterwards(this.#verbs.find(listen), (stopListening) => {
        const ended = (connection: Closable): void => {
          stopListening?.();
          this.#links.delete(connection);
        };
        return this.#keep(new BrokerConnection(this.#verbs.connect(options), ended));
      });
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#end();
    await this.#verbs.release(Promise.all(Array.from(this.#links, (link) => link.close())));
    await this.#onEnd(this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async abort(): Promise<void> {
    if (this.#closed) return;
    this.#end();
    await Promise.all(Array.from(this.#links, (link) => link.abort()));
    await this.#onEnd(this);
  }

  #enlistedIn(options: TransactionOption | undefined): Enlisted | undefined {
    return options?.transaction === undefined ? undefined : this.#enlisted(options.transaction);
  }

  #enlisted(transaction: Transaction): Enlisted {
    this.#checkOpen();
    const open = this.#transactions.get(transaction);
    if (open?.isOpen === true) return open;
    if (open !== undefined || this.#endedTransactions.has(transaction)) throw transactionOver();
    const foreign = this.#verbs.foreign?.(transaction);
    if (foreign === undefined) throw foreignTransaction();
    return foreign;
  }

  /** Runs a verb after applying everything that is due. @throws SobreError `Closed`. */
  async #enter<T>(verb: () => Answer<T>): Promise<T> {
    this.#checkOpen();
    const due = this.#verbs.catchUp();
    if (due !== undefined) await due;
    const answer = verb();
    return this.#verbs.confirm?.(answer) ?? answer;
  }

  /** Runs a verb in a transaction, if there is one, after those that were called before. */
  #enterIn<T>(work: Enlisted | undefined, verb: () => Answer<T>): Promise<T> {
    const call = (): Promise<T> => this.#enter(verb);
    return (work === undefined ? undefined : this.#verbs.inTurn?.(work, call)) ?? call();
  }

  /** Goes on with the queue at an address. */
  #at<T>(address: string, goOn: (queue: Queue) => Answer<T>): Answer<T> {
    return afterwards(
      this.#verbs.find((entities) => entities.queue(address)),
      goOn,
    );
  }

  /** A verb that counts as a use of the queue's entity. */
  #using<T>(queue: Queue, verb: () => Answer<T>): Answer<T> {
    return afterwards(this.#verbs.used(queue), verb);
  }

  #receivable(address: string): Answer<Queue> {
    const look = (entities: Directory<Own, Queue>): Queue => {
      entities.receivable(address);
      return entities.queue(address);
    };
    return afterwards(this.#verbs.find(look), (queue) => {
      const { receiveRefusal } = queue;
      if (receiveRefusal !== undefined) throw receiveRefusal;
      return queue;
    });
  }

  readonly #onWait = (end: () => void): (() => void) => {
    const waiting = { close: async () => end(), abort: async () => end() };
    this.#links.add(waiting);
    return () => void this.#links.delete(waiting);
  };

  #keep<T extends Closable>(link: T): T {
    this.#links.add(link);
    return link;
  }

  /** Stops accepting calls, and rolls back open transactions. */
  #end(): void {
    this.#closed = true;
    this.#verbs.end?.();
    for (const transaction of this.#transactions.values()) transaction.undo();
  }

  #checkOpen(): void {
    if (this.#closed) throw closed("engine");
  }
}
