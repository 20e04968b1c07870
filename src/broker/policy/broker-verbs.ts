import type { Delivery, LockToken, ReceiveMode, Settlement } from "../../core/engine/delivery.ts";
import type {
  AcceptSessionOptions,
  ConnectOptions,
  DeleteOptions,
  ListSessionsOptions,
  PeekOptions,
  ReceiveDeferredOptions,
  ReceiveOptions,
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
  /** Removes a link that has closed. */
  readonly closed: (link: Closable) => void;
  /** Runs a verb after applying everything that is due; resolves when it is durable. */
  readonly enter: <T>(verb: () => Answer<T>) => Promise<T>;
  /** An open transaction of the connection. @throws SobreError `InvalidOperation` for any other. */
  readonly enlisted: (transaction: Transaction) => Enlisted;
  /** Runs a verb in a transaction, after those that were called before. */
  readonly runIn: <T>(transaction: Enlisted, verb: () => Answer<T>) => Promise<T>;
}

/** The verbs of a sender. */
export interface SendVerbs<Own, Enlisted> {
  /** Applies everything that is due; `undefined` when that needs no waiting. */
  catchUp(): Promise<void> | undefined;
  maxMessageSize(entity: SendableEntity<Own>): number;
  /** All or none; `undefined` when it has been done. */
  send(route: SendRoute<Own>, envelopes: readonly Envelope[]): Promise<void> | undefined;
  sendIn(transaction: Enlisted, route: SendRoute<Own>, envelopes: readonly Envelope[]): Answer<void>;
}

/** The receiving end of a link, as a store keeps it. */
export interface ReceiverLink {
  /** The session that it holds. */
  readonly sessionLock?: HeldLock | undefined;
}

/** A {@link ReceiverLink} that holds a session. */
export interface SessionLink extends ReceiverLink {
  readonly sessionLock: HeldLock;
}

/** The lock of a session. */
interface HeldLock {
  /** The session's. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** The verbs of a receiver. */
export interface ReceiveVerbs<Link> {
  /** Applies everything that is due, each time that it tries to take messages. */
  receive(link: Link, options: ReceiveOptions): Answer<readonly Delivery[]>;
  /** Ends the receives that wait, with nothing. */
  endReceives(link: Link): void;
  /** Releases what the link holds; called once, after {@link endReceives}. */
  releaseLink(link: Link): Answer<void>;
  renewSession(link: Link & SessionLink): Answer<void>;
  /** A copy. */
  sessionState(link: Link & SessionLink): Answer<Uint8Array | undefined>;
  setSessionState(link: Link & SessionLink, state: Uint8Array | undefined): Answer<void>;
}

/**
 * The verbs of one connection, as a store carries them out. Options are checked, queues found and disabled entities refused before.
 *
 * `Own` is what the store adds to an entity, `Queue` one of an entity's queues, `Enlisted` a transaction that takes calls, `Link`
 * the receiving end of a link.
 */
export interface BrokerVerbs<Own, Queue extends EntityQueue<unknown>, Enlisted, Link extends ReceiverLink>
  extends AdministeredEntities<Own>, InspectedQueues<Queue>, SendVerbs<Own, Enlisted>, ReceiveVerbs<Link> {
  /** The name of the engine. */
  readonly name: string;
  /** The time, in milliseconds since 1970. */
  now(): number;
  /** Looks something up in the entities. */
  find<T>(look: (entities: Directory<Own, Queue>) => T): Answer<T>;
  /** The queue at an address, if it is known without waiting. @throws SobreError `MessagingEntityNotFound`. */
  knownQueue(address: string): Queue | undefined;

  openReceiver(queue: Queue, receiveMode: ReceiveMode): Link;
  acceptSession(queue: Queue, request: SessionRequest): Promise<Link & SessionLink>;

  /** Records that an entity is used, for verbs that otherwise write nothing. */
  used(queue: Queue): Answer<void>;
  peek(queue: Queue, options: PeekOptions): Answer<readonly Delivery[]>;
  receiveDeferred(
    queue: Queue,
    sequenceNumbers: readonly bigint[],
    options: ReceiveDeferredOptions,
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
  /** Resolves to an answer when everything that took effect with it is durable. Without it, that is at once. */
  confirm?<T>(answer: Answer<T>): Promise<T>;
  /** The verbs of another connection. */
  connect(options: ConnectOptions | undefined): BrokerVerbs<Own, Queue, Enlisted, Link>;
  /** Called when the connection begins to end, in whatever way. */
  end?(): void;
  /** Releases the locks of this connection, before or after its links have closed; resolves when both are done. */
  release(linksClosed: Promise<unknown>): Promise<unknown>;
}
