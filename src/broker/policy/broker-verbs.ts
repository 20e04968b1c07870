import type { Capabilities } from "../../core/engine/capabilities.ts";
import type { Delivery, LockToken, ReceiveMode, Settlement } from "../../core/engine/delivery.ts";
import type {
  AcceptSessionOptions,
  ConnectOptions,
  DeleteOptions,
  EngineReceiver,
  EngineSender,
  EngineSessionReceiver,
  ListSessionsOptions,
  PeekOptions,
  ReceiveDeferredOptions,
  Transaction,
} from "../../core/engine/engine.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { AdministeredEntities } from "./administration.ts";
import type { Answer } from "./answer.ts";
import type { Directory } from "./directory.ts";
import type { EntityQueue, SendableEntity } from "./entities.ts";
import type { InspectedQueues } from "./queue-inspection.ts";
import type { SendRoute } from "./router.ts";

/** Anything that a connection closes when it closes. */
export interface Closable {
  close(): Promise<void>;
  /** Closes without releasing locks. */
  abort(): Promise<void>;
}

/** How long a transaction may stay open, in milliseconds. */
export const maxTransactionAge = 120_000;

/** A transaction as its connection sees it. */
export interface OpenTransaction extends Transaction {
  /** Whether it still accepts operations. */
  readonly isOpen: boolean;
  /** Rolls back if it is still open. */
  undo(): void;
}

/** A request to accept a session. */
export interface SessionRequest extends AcceptSessionOptions {
  /** Until when to wait, in milliseconds since 1970. */
  readonly deadline: number;
  /** Registers the function that ends the wait when the connection closes; returns a function that unregisters it. */
  readonly onWait: (end: () => void) => () => void;
}

/** A connection as its links see it. */
export interface LinkOwner<Enlisted> {
  readonly links: ReadonlySet<Closable>;
  /** Removes a link that has closed. */
  readonly closed: (link: Closable) => void;
  /** An open transaction of the connection. @throws SobreError `InvalidOperation` for any other. */
  readonly enlisted: (transaction: Transaction) => Enlisted;
}

/**
 * The verbs of one connection, as a store carries them out. Options are checked, queues found and disabled entities refused before.
 *
 * `Own` is what the store adds to an entity, `Queue` one of an entity's queues, `Enlisted` a transaction that takes calls.
 */
export interface BrokerVerbs<Own, Queue extends EntityQueue<unknown>, Enlisted>
  extends AdministeredEntities<Own>, InspectedQueues<Queue> {
  /** The name of the engine. */
  readonly name: string;
  /** The engine's support of each capability. Default: all natively. */
  readonly capabilities?: Capabilities;
  /** Applies everything that is due; `undefined` when that needs no waiting. */
  catchUp(): Promise<void> | undefined;
  /** The time, in milliseconds since 1970. */
  now(): number;
  /** Looks something up in the entities. */
  find<T>(look: (entities: Directory<Own, Queue>) => T): Answer<T>;
  /** The queue at an address, if it is known without waiting. @throws SobreError `MessagingEntityNotFound`. */
  knownQueue(address: string): Queue | undefined;

  openSender(route: SendRoute<Own>, owner: LinkOwner<Enlisted>): EngineSender & Closable;
  openReceiver(queue: Queue, receiveMode: ReceiveMode, owner: LinkOwner<Enlisted>): EngineReceiver & Closable;
  acceptSession(
    queue: Queue,
    request: SessionRequest,
    owner: LinkOwner<Enlisted>,
  ): Promise<EngineSessionReceiver & Closable>;

  peek(queue: Queue, options: PeekOptions): Answer<readonly Delivery[]>;
  receiveDeferred(
    queue: Queue,
    sequenceNumbers: readonly bigint[],
    options: ReceiveDeferredOptions,
    owner: LinkOwner<Enlisted>,
  ): Answer<readonly Delivery[]>;
  /** Each envelope has a scheduled time. */
  schedule(
    entity: SendableEntity<Own>,
    envelopes: readonly Envelope[],
    transaction: Enlisted | undefined,
  ): Answer<readonly bigint[]>;
  cancel(queue: Queue, sequenceNumbers: readonly bigint[]): Answer<void>;
  /** `undefined` when it has been done. */
  settle(queue: Queue, lockToken: LockToken, settlement: Settlement): Promise<void> | undefined;
  settleIn(transaction: Enlisted, queue: Queue, lockToken: LockToken, settlement: Settlement): Answer<void>;
  /** Notes at once that a transaction will settle a message; returns a function that takes it back. */
  noteSettlement?(lockToken: LockToken, settlement: Settlement): () => void;
  renew(queue: Queue, lockToken: LockToken): Answer<Date>;
  deleteMessages(queue: Queue, options: DeleteOptions): Answer<number>;
  listSessions(queue: Queue, options: ListSessionsOptions): Answer<readonly string[]>;

  /** @param onEnd Called when the transaction has ended. */
  begin(onEnd: (ended: Transaction) => void): Enlisted & OpenTransaction;
  /** Takes calls for a transaction that the caller began without the engine; `undefined` for any other. */
  foreign?(transaction: Transaction): Enlisted | undefined;
  /** Carries out a call in a transaction after those that were made before. Without it, calls are carried out at once. */
  inTurn?<T>(transaction: Enlisted, call: () => Promise<T>): Promise<T>;
  /** The verbs of another connection. */
  connect(options: ConnectOptions | undefined): BrokerVerbs<Own, Queue, Enlisted>;
  /** Called when the connection begins to end, in whatever way. */
  end?(): void;
  /** Releases the locks of this connection, before or after its links have closed; resolves when both are done. */
  release(linksClosed: Promise<unknown>): Promise<unknown>;
}
