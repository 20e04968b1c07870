import type { Envelope } from "../envelope/envelope.ts";
import type { EngineAdmin } from "./admin.ts";
import type { Capabilities } from "./capabilities.ts";
import type { Delivery, LockToken, ReceiveMode, Settlement } from "./delivery.ts";

/** An open transaction of an engine: what is sent and settled with it happens together or not at all. */
export interface Transaction {
  /** Makes everything done with it visible at once. */
  commit(): Promise<void>;
  /** Undoes everything done with it. */
  rollback(): Promise<void>;
}

/** Options that every send and settlement takes. */
export interface TransactionOption {
  readonly transaction?: Transaction | undefined;
}

/** Options of a receive. */
export interface ReceiveOptions {
  /** The most deliveries to return, 1 or more. */
  readonly maxMessages: number;
  /** Milliseconds of the engine's clock to wait for the first delivery; 0 returns at once with what is there. */
  readonly maxWaitTime: number;
  /**
   * Ends the wait: what was taken is returned, or given back uncounted.
   * A wait without signal keeps a process alive until its time is over; one with a signal may leave that to others.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link Engine.connect}. */
export interface ConnectOptions {
  /** Whether bytes are taken and handed over without a copy, for a border that never writes into them. Default: false. */
  readonly sharesBytes?: boolean | undefined;
}

/** Options of {@link Engine.openSender}. */
export interface OpenSenderOptions {
  /**
   * The entity to send through: messages are accepted there, with `viaPartitionKey`, and transferred to the sender's
   * entity afterwards; what cannot be transferred goes to the transfer dead-letter queue of this one.
   */
  readonly via?: string | undefined;
  /** The most sends without outcome; further ones wait for their turn. Default: no bound. */
  readonly maxInFlight?: number | undefined;
}

/** Options of {@link Engine.openReceiver}. */
export interface OpenReceiverOptions {
  readonly receiveMode: ReceiveMode;
}

/** Options of {@link Engine.receiveDeferred}. */
export interface ReceiveDeferredOptions extends OpenReceiverOptions {
  /** The session of the messages, which this connection must hold; on session entities only. */
  readonly sessionId?: string | undefined;
}

/** Options of {@link Engine.deleteMessages}. */
export interface DeleteOptions {
  /** The most messages to delete. */
  readonly maxMessages: number;
  /** Only those enqueued before; default: all. */
  readonly beforeEnqueueTime?: Date | undefined;
  /** Only those of this session; default: all. */
  readonly sessionId?: string | undefined;
}

/** Options of {@link Engine.listSessions}. */
export interface ListSessionsOptions {
  /** Only sessions whose state was set after this time; default: those with messages. */
  readonly updatedAfter?: Date | undefined;
  /** How many to leave out at the beginning. Default: 0. */
  readonly skip?: number | undefined;
  /** Default: 100. */
  readonly maxSessions?: number | undefined;
}

/** Options of {@link Engine.acceptSession}. */
export interface AcceptSessionOptions extends OpenReceiverOptions {
  /** The session wanted; `undefined` is the next available one. */
  readonly sessionId: string | undefined;
  /** Milliseconds to wait for a session: for the next available one, or until the one wanted is free. */
  readonly maxWaitTime: number;
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link EngineSender.send}. */
export interface SendOptions extends TransactionOption {
  /**
   * Whether the messages are settled before they are sent: the send resolves whatever becomes of them,
   * and what is refused is lost. Default: false.
   */
  readonly settled?: boolean | undefined;
}

/** The sending end of a link to an entity. */
export interface EngineSender {
  /** Most bytes of one message, AMQP-encoded (`sizeOf`). */
  readonly maxMessageSize: number;
  /**
   * Sends envelopes in order; resolves when all are accepted, and none was accepted when it rejects.
   * Sends may overlap; each has its own outcome. The engine keeps the envelopes: their bytes must not be changed any more.
   *
   * @throws SobreError `MessageSizeExceeded`, `MessagingEntityNotFound`, `MessagingEntityDisabled`, `QuotaExceeded`,
   *   `InvalidOperation`, `Closed`; refusals of the broker carry a `trackingId`.
   */
  send(envelopes: readonly Envelope[], options?: SendOptions): Promise<void>;
  close(): Promise<void>;
}

/** The receiving end of a link to an entity. */
export interface EngineReceiver {
  /** Waits for messages; may resolve to none. May be called again while one is waiting. */
  receive(options: ReceiveOptions): Promise<readonly Delivery[]>;
  /** Closes the link. Locks taken through it stay until they expire or are settled. */
  close(): Promise<void>;
}

/** The receiving end of a link that holds a session. */
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
  /** The first sequence number to look at; default: the oldest. */
  readonly fromSequenceNumber?: bigint | undefined;
  readonly sessionId?: string | undefined;
}

/**
 * A message broker behind one interface.
 *
 * Engines never read a payload and never retry. Entities are named by address: `orders`, `orders/$DeadLetterQueue`,
 * `prices/Subscriptions/eu`; names are compared without case. Every method may overlap with every other.
 * What a capability declares as `refused` throws `UnsupportedCapability`. `await using` closes it.
 */
export interface Engine extends AsyncDisposable {
  /** Short name in lower case, e.g. `memory`. */
  readonly name: string;
  /** Where the broker is on a network; `undefined` for one in the process. */
  readonly server?: { readonly address: string; readonly port: number } | undefined;
  readonly capabilities: Capabilities;
  /** Creates, reads and deletes entities. */
  readonly admin: EngineAdmin;

  /** @throws SobreError `MessagingEntityNotFound`. */
  openSender(entity: string, options?: OpenSenderOptions): Promise<EngineSender>;
  /** @throws SobreError `MessagingEntityNotFound`, or `InvalidOperation` on an entity that requires sessions. */
  openReceiver(entity: string, options: OpenReceiverOptions): Promise<EngineReceiver>;
  /** @throws SobreError `SessionCannotBeLocked` when another receiver holds it, `ServiceTimeout` when none is free in time. */
  acceptSession(entity: string, options: AcceptSessionOptions): Promise<EngineSessionReceiver>;

  /** Reads messages in order of their sequence numbers without locking them; deferred and scheduled ones are included. */
  peek(entity: string, options: PeekOptions): Promise<readonly Delivery[]>;
  /** @throws SobreError `MessageNotFound` when one of them is not deferred. */
  receiveDeferred(
    entity: string,
    sequenceNumbers: readonly bigint[],
    options: ReceiveDeferredOptions,
  ): Promise<readonly Delivery[]>;
  /** Accepts envelopes now for their `scheduledEnqueueTimeUtc`; resolves to their sequence numbers, in order. */
  schedule(entity: string, envelopes: readonly Envelope[], options?: TransactionOption): Promise<readonly bigint[]>;
  /** @throws SobreError `MessageNotFound` when one of them is not scheduled. */
  cancel(entity: string, sequenceNumbers: readonly bigint[]): Promise<void>;

  /**
   * @throws SobreError `MessageLockLost` when the lock has expired, was settled or never was; nothing is changed then.
   * @example
   * ```ts
   * const receiver = await engine.openReceiver("orders", { receiveMode: "peekLock" });
   * const [delivery] = await receiver.receive({ maxMessages: 1, maxWaitTime: 0 });
   * if (delivery?.lockToken) await engine.settle("orders", delivery.lockToken, { kind: "complete" });
   * ```
   */
  settle(entity: string, lockToken: LockToken, settlement: Settlement, options?: TransactionOption): Promise<void>;
  /** Renews a lock; resolves to its new end. @throws SobreError `MessageLockLost`. */
  renew(entity: string, lockToken: LockToken): Promise<Date>;

  /** Deletes messages that nobody holds, oldest first; resolves to how many. */
  deleteMessages(entity: string, options: DeleteOptions): Promise<number>;
  /** The ids of sessions, in order of the ids. */
  listSessions(entity: string, options?: ListSessionsOptions): Promise<readonly string[]>;

  /** @throws SobreError `InvalidOperation` when it is used after its end, or after 2 minutes. */
  begin(): Promise<Transaction>;
  /** Opens another connection to the same broker, with locks of its own; closing this engine closes it too. */
  connect(options?: ConnectOptions): Promise<Engine>;
  /** Closes every link and releases every lock; no delivery is counted for it. */
  close(): Promise<void>;
  /**
   * Ends like a connection that breaks: open transactions are rolled back, and the locks on messages and sessions are
   * left to run out, which counts a delivery. So a message that kills its process reaches the dead-letter queue.
   */
  abort(): Promise<void>;
}
