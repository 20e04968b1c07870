import type { Envelope } from "../envelope/envelope.ts";
import type { EngineAdmin } from "./admin.ts";
import type { Capabilities } from "./capabilities.ts";
import type { Delivery, LockToken, ReceiveMode, Settlement } from "./delivery.ts";
import type { EngineInspection } from "./inspection.ts";

/**
 * An open transaction of an engine: its sends and settlements happen together or not at all. A call that is made before
 * the end belongs to it, whether or not it has been answered; one that is refused does not.
 */
export interface Transaction {
  /** Makes everything done in it visible at the same time. */
  commit(): Promise<void>;
  /** Undoes everything done in it. */
  rollback(): Promise<void>;
}

/** The options of every send and settlement. */
export interface TransactionOption {
  readonly transaction?: Transaction | undefined;
}

/** Options of a receive. */
export interface ReceiveOptions {
  /** Maximum number of deliveries to return, at least 1. */
  readonly maxMessages: number;
  /** Milliseconds of the engine's clock to wait for the first delivery; 0 returns immediately. */
  readonly maxWaitTimeInMs: number;
  /**
   * Ends the wait: messages already taken are returned, or released without counting a delivery. A wait without a
   * signal keeps the process alive until it is over; one with a signal need not.
   */
  readonly abortSignal?: AbortSignal | undefined;
}

/** Options of {@link Engine.connect}. */
export interface ConnectOptions {
  /**
   * Whether payloads are passed without a copy, for callers that never write to them. Default: false.
   *
   * Such a payload is a part of a larger buffer with other memory of the process: do not post it to a worker, clone or transfer
   * it, or read through its `.buffer`; copy it first.
   */
  readonly sharesBytes?: boolean | undefined;
  /** A name of the connection for people, which an inspection shows for the sessions that it holds. Default: none. */
  readonly name?: string | undefined;
  /**
   * Called with the address of an entity that has been deleted, as soon as this process knows of it: links to it that the
   * connection has opened stay refused, even after an entity of the same name is created. Remote brokers report it by
   * ending the links.
   */
  readonly onEntityDeleted?: ((address: string) => void) | undefined;
}

/** Options of {@link Engine.openSender}. */
export interface OpenSenderOptions {
  /**
   * The entity to send through: messages are accepted there, with `viaPartitionKey`, then transferred to the sender's
   * entity; those that cannot be transferred go to the transfer dead-letter queue of this entity.
   */
  readonly via?: string | undefined;
  /** Maximum number of pending sends outside transactions; further ones wait. Default: no limit. */
  readonly maxInFlight?: number | undefined;
}

/** Options of {@link Engine.openReceiver}. */
export interface OpenReceiverOptions {
  readonly receiveMode: ReceiveMode;
}

/** Options of {@link Engine.receiveDeferred}. */
export interface ReceiveDeferredOptions extends OpenReceiverOptions {
  /** The session of the messages, which this connection must hold; only on session entities. */
  readonly sessionId?: string | undefined;
}

/** Options of {@link Engine.deleteMessages}. */
export interface DeleteOptions {
  /** Maximum number of messages to delete. */
  readonly maxMessages: number;
  /** Delete only messages enqueued before this time. Default: all. */
  readonly beforeEnqueueTime?: Date | undefined;
  /** Delete only messages of this session. Default: all. */
  readonly sessionId?: string | undefined;
}

/** Options of {@link Engine.listSessions}. */
export interface ListSessionsOptions {
  /** List only sessions whose state was set after this time. Default: those with messages or a state. */
  readonly updatedAfter?: Date | undefined;
  /** How many sessions to skip. Default: 0. */
  readonly skip?: number | undefined;
  /** Default: 100. */
  readonly maxSessions?: number | undefined;
}

/** Options of {@link Engine.acceptSession}. */
export interface AcceptSessionOptions extends OpenReceiverOptions {
  /** The session to accept; `undefined` is the next available one. */
  readonly sessionId: string | undefined;
  /** Milliseconds to wait until the session, or any session, is available. */
  readonly maxWaitTimeInMs: number;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Options of {@link EngineSender.send}. */
export interface SendOptions extends TransactionOption {
  /**
   * Whether to send pre-settled: the send resolves whatever the outcome, and refused messages are lost. Default: false.
   */
  readonly settled?: boolean | undefined;
}

/** The sending side of a link to an entity. */
export interface EngineSender {
  /** Maximum size of a message, AMQP-encoded, in bytes (`sizeOf`). */
  readonly maxMessageSize: number;
  /**
   * Sends envelopes in order; resolves when all are accepted. When it rejects, none was accepted. Sends may run
   * concurrently; each has its own outcome. Bytes that are changed after the call are sent as they were.
   *
   * @throws SobreError `MessageSizeExceeded`, `MessagingEntityNotFound`, `MessagingEntityDisabled`, `QuotaExceeded`,
   * `InvalidOperation`, `Closed`; refusals of the broker carry a `trackingId`.
   */
  send(envelopes: readonly Envelope[], options?: SendOptions): Promise<void>;
  close(): Promise<void>;
}

/** The receiving side of a link to an entity. */
export interface EngineReceiver {
  /** Waits for messages; may resolve to none. May be called while another call is waiting. */
  receive(options: ReceiveOptions): Promise<readonly Delivery[]>;
  /** Closes the link. Its locks last until they expire or are settled. */
  close(): Promise<void>;
}

/** The receiving side of a link that holds a session. */
export interface EngineSessionReceiver extends EngineReceiver {
  readonly sessionId: string;
  sessionLockedUntilUtc(): Date;
  renewSessionLock(): Promise<Date>;
  getSessionState(): Promise<Uint8Array | undefined>;
  /** `undefined` clears the state. */
  setSessionState(state: Uint8Array | null | undefined): Promise<void>;
}

/** Options of {@link Engine.peek}. */
export interface PeekOptions {
  readonly maxMessages: number;
  /** The first sequence number to return. Default: the oldest. */
  readonly fromSequenceNumber?: bigint | undefined;
  readonly sessionId?: string | undefined;
}

/**
 * A message broker behind one interface.
 *
 * Engines never read a payload and never retry. Entities are named by address: `orders`, `orders/$DeadLetterQueue`,
 * `prices/Subscriptions/eu`; names are case-insensitive. All methods may be called concurrently. A capability declared
 * as `refused` throws `UnsupportedCapability`. `await using` closes the engine.
 */
export interface Engine extends AsyncDisposable {
  /** A short name in lower case, e.g. `memory`. */
  readonly name: string;
  /** The network address of the broker; `undefined` for one in the process. */
  readonly server?: { readonly address: string; readonly port: number } | undefined;
  readonly capabilities: Capabilities;
  /** Creates, reads and deletes entities. */
  readonly admin: EngineAdmin;
  /** Describes entities in more detail than {@link admin}, without changing anything. */
  readonly inspection: EngineInspection;

  /** @throws SobreError `MessagingEntityNotFound`. */
  openSender(entity: string, options?: OpenSenderOptions): Promise<EngineSender>;
  /** @throws SobreError `MessagingEntityNotFound`, or `InvalidOperation` on an entity that requires sessions. */
  openReceiver(entity: string, options: OpenReceiverOptions): Promise<EngineReceiver>;
  /**
   * @throws SobreError `SessionCannotBeLocked` when another receiver holds it, `ServiceTimeout` when none is available
   * in time.
   */
  acceptSession(entity: string, options: AcceptSessionOptions): Promise<EngineSessionReceiver>;

  /** Reads messages in order of sequence number without locking them, including deferred and scheduled ones. */
  peek(entity: string, options: PeekOptions): Promise<readonly Delivery[]>;
  /** @throws SobreError `MessageNotFound` when one of them is not deferred. */
  receiveDeferred(
    entity: string,
    sequenceNumbers: readonly bigint[],
    options: ReceiveDeferredOptions,
  ): Promise<readonly Delivery[]>;
  /** Schedules envelopes for their `scheduledEnqueueTimeUtc`; resolves to their sequence numbers, in order. */
  schedule(entity: string, envelopes: readonly Envelope[], options?: TransactionOption): Promise<readonly bigint[]>;
  /** @throws SobreError `MessageNotFound` when one of them is not scheduled. */
  cancel(entity: string, sequenceNumbers: readonly bigint[]): Promise<void>;

  /**
   * @throws SobreError `MessageLockLost` when the lock has expired, was settled or never existed; nothing is changed
   * then.
   * @example
   * ```ts
   * const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
   * const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
   * if (delivery?.lockToken) await engine.settle("orders", delivery.lockToken, { kind: "complete" });
   * ```
   */
  settle(entity: string, lockToken: LockToken, settlement: Settlement, options?: TransactionOption): Promise<void>;
  /** Renews a lock; resolves to its new expiry. @throws SobreError `MessageLockLost`. */
  renew(entity: string, lockToken: LockToken): Promise<Date>;

  /** Deletes unlocked messages, oldest first; resolves to their number. */
  deleteMessages(entity: string, options: DeleteOptions): Promise<number>;
  /** The ids of sessions, sorted. */
  listSessions(entity: string, options?: ListSessionsOptions): Promise<readonly string[]>;

  /** @throws SobreError `InvalidOperation` when the transaction is used after its end, or after 2 minutes. */
  begin(): Promise<Transaction>;
  /** Opens another connection to the same broker, with its own locks; closing this engine closes it too. */
  connect(options?: ConnectOptions): Promise<Engine>;
  /**
   * Closes all links and releases all locks. That counts a delivery only of a message that was settled in a transaction,
   * and is locked still because that was rolled back.
   */
  close(): Promise<void>;
  /**
   * Ends like a broken connection: open transactions are rolled back, and locks on messages and sessions are left to
   * expire, which counts a delivery. A message that crashes its process thus reaches the dead-letter queue.
   */
  abort(): Promise<void>;
}
