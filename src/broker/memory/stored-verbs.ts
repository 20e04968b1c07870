import type { Delivery, LockToken, ReceiveMode, Settlement } from "../../core/engine/delivery.ts";
import type {
  ConnectOptions,
  Engine,
  PeekOptions,
  ReceiveDeferredOptions,
  Transaction,
} from "../../core/engine/engine.ts";
import type { Answer } from "../policy/answer.ts";
import type { LinkOwner, SessionRequest } from "../policy/broker-verbs.ts";
import { BrokerConnection } from "../policy/connection.ts";
import type { SendRoute } from "../policy/router.ts";
import type { EntityContents } from "./entity.ts";
import { MemoryVerbs } from "./memory-verbs.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { StoredHome } from "./stored-home.ts";
import { StoredReceiver, StoredSender, StoredSessionReceiver, StoredTransaction } from "./stored-links.ts";
import type { MemoryTransaction } from "./transaction.ts";

type Owner = LinkOwner<MemoryTransaction>;

/** The verbs of a connection to a memory engine with a store: a verb is answered, and a message delivered, once it is durable. */
class StoredVerbs extends MemoryVerbs {
  override readonly name: string;
  readonly #home: StoredHome;

  constructor(name: string, home: StoredHome, options?: ConnectOptions) {
    super(home, options);
    this.name = name;
    this.#home = home;
  }

  override catchUp(): Promise<void> | undefined {
    return this.#home.catchUp();
  }

  confirm<T>(answer: Answer<T>): Promise<T> {
    return this.#home.confirm(answer);
  }

  override openSender(route: SendRoute<EntityContents>, owner: Owner): StoredSender {
    return new StoredSender(this.#home, route, this, owner);
  }

  override openReceiver(queue: MessageQueue, receiveMode: ReceiveMode, owner: Owner): StoredReceiver {
    return new StoredReceiver(this.#home, queue, { receiveMode, holder: this }, owner);
  }

  override async acceptSession(
    queue: MessageQueue,
    request: SessionRequest,
    owner: Owner,
  ): Promise<StoredSessionReceiver> {
    const link = await this.#home.afterWait(() => this.lockSession(queue, request));
    return new StoredSessionReceiver(this.#home, queue, link, owner);
  }

  override peek(queue: MessageQueue, options: PeekOptions): Answer<readonly Delivery[]> {
    return this.#home.fill(super.peek(queue, options));
  }

  override receiveDeferred(
    queue: MessageQueue,
    sequenceNumbers: readonly bigint[],
    options: ReceiveDeferredOptions,
  ): Answer<readonly Delivery[]> {
    return this.#home.fill(super.receiveDeferred(queue, sequenceNumbers, options));
  }

  override settle(queue: MessageQueue, lockToken: LockToken, settlement: Settlement): Promise<void> {
    return this.confirm(super.settle(queue, lockToken, settlement));
  }

  override begin(onEnd: (ended: Transaction) => void): StoredTransaction {
    return new StoredTransaction(this.#home, onEnd);
  }

  override connect(options: ConnectOptions | undefined): StoredVerbs {
    return new StoredVerbs(this.name, this.#home, options);
  }

  override release(linksClosed: Promise<unknown>): Promise<unknown> {
    return this.#home.failed ? linksClosed : this.confirm(super.release(linksClosed));
  }
}

/** Opens the root connection to a memory engine with a store; closing it closes the store. */
export const storedConnection = (name: string, home: StoredHome): Engine =>
  new BrokerConnection(new StoredVerbs(name, home), () => home.end());
