import {
  checkEngineOptions,
  checkEntity,
  checkEnvelopes,
  checkSequenceNumbers,
  checkSettlement,
  isLockToken,
} from "../../core/engine/arguments.ts";
import type {
  AcceptSessionOptions,
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
import { boundedSender } from "../../core/engine/bounded-sender.ts";
import type { Capabilities } from "../../core/engine/capabilities.ts";
import type { Delivery, LockToken, Settlement } from "../../core/engine/delivery.ts";
import type { EngineAdmin } from "../../core/engine/admin.ts";
import { type EngineInspection, refusedInspection } from "../../core/engine/inspection.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock } from "../../core/time/clock.ts";
import { pause } from "../../core/time/pause.ts";
import { LateTransaction } from "../policy/late-transaction.ts";
import { foreignTransaction, settledInTransaction } from "../policy/refusals.ts";
import { grantedSession, sessionRequest } from "./accept-session.ts";
import { atomAdmin } from "./admin.ts";
import type { AtomClient } from "./atom-client.ts";
import { AmqpBroker, type BrokerOptions } from "./broker.ts";
import { closed } from "../../core/engine/refusals.ts";
import { serverOf } from "./connection-string.ts";
import { azureCapabilities } from "./capabilities.ts";
import { Management } from "./management.ts";
import type { HeldDelivery } from "./held-deliveries.ts";
import { AzureReceiveLink, type ReceiveLinkOptions } from "./receive-link.ts";
import { AzureReceiver, AzureSessionReceiver } from "./receiver.ts";
import { AzureSender } from "./sender.ts";
import { AzureTransaction, Coordinator } from "./transaction.ts";
import { fitsFrame, settlementState } from "./settlement-state.ts";

/** The parts of an engine over AMQP. */
export interface AzureConnectionOptions extends BrokerOptions {
  readonly atom: AtomClient;
  readonly clock: Clock;
  /** Minimum wait of a receive in milliseconds. */
  readonly minWaitTimeInMs: number;
}

interface ClosableLink {
  close(): Promise<void>;
  abort?(): Promise<void>;
  /** Ends immediately, because the connection does. */
  drop?(): void;
}

/** A connection to a namespace of Azure Service Bus or a compatible broker. */
export class AzureConnection implements Engine {
  readonly name = "azure";
  readonly capabilities: Capabilities = azureCapabilities;
  readonly admin: EngineAdmin;
  readonly inspection: EngineInspection = refusedInspection(this);
  readonly server: { readonly address: string; readonly port: number };
  readonly #options: AzureConnectionOptions;
  readonly #broker: AmqpBroker;
  readonly #management: Management;
  /** Links and connections that close with this one. */
  readonly #open = new Set<ClosableLink>();
  /** The locked messages, by lock token. */
  readonly #locks = new Map<LockToken, HeldDelivery>();
  /** Deferred messages received by sequence number, with their sessions. */
  readonly #deferred = new Map<LockToken, string | undefined>();
  /** The messages that open transactions settle. */
  readonly #settling = new Map<LockToken, AzureTransaction>();
  #coordinator: Promise<Coordinator> | undefined;
  #closed = false;

  constructor(options: AzureConnectionOptions) {
    this.#options = options;
    this.server = serverOf(options.settings);
    this.#broker = new AmqpBroker(options);
    this.#management = new Management(this.#broker, options.clock);
    this.admin = atomAdmin(options.atom, () => this.#enter());
  }

  async openSender(entity: string, options: OpenSenderOptions = {}): Promise<EngineSender> {
    this.#enter(entity);
    checkEngineOptions.openSender(options);
    const { via, maxInFlight } = options;
    const sender = new AzureSender(
      this.#broker,
      { entity, via },
      {
        closed: (link) => this.#open.delete(link),
        inTransaction: (transaction, call) => this.#inTransaction(transaction, (open) => call(open.state())),
      },
    );
    const bounded = maxInFlight === undefined ? sender : boundedSender(sender, maxInFlight);
    await sender.open();
    this.#keep(sender);
    return bounded;
  }

  async openReceiver(entity: string, options: OpenReceiverOptions): Promise<EngineReceiver> {
    this.#enter(entity);
    checkEngineOptions.openReceiver(options);
    const { receiveMode } = options;
    const request: ReceiveLinkOptions["request"] = {
      setup: {
        source: { kind: "source", address: entity },
        target: { kind: "target", address: `receiver-${crypto.randomUUID()}` },
      },
    };
    const receiver = new AzureReceiver(() => this.#receiveLink(entity, receiveMode, request), {
      minWaitTimeInMs: this.#options.minWaitTimeInMs,
      forget: (link) => this.#open.delete(link),
    });
    await receiver.open();
    return this.#keep(receiver);
  }

  async acceptSession(entity: string, options: AcceptSessionOptions): Promise<EngineSessionReceiver> {
    this.#enter(entity);
    checkEngineOptions.acceptSession(options);
    if (isAborted(options.abortSignal)) throw aborted();
    const { minWaitTimeInMs, clock, timing } = this.#options;
    const until = clock.now() + options.maxWaitTimeInMs;
    let link: AzureReceiveLink | undefined;
    while (link === undefined) {
      try {
        link = await this.#receiveLink(entity, options.receiveMode, sessionRequest(entity, options));
      } catch (error) {
        if (isAborted(options.abortSignal)) throw aborted();
        if (!isHeld(error) || options.sessionId === undefined || clock.now() >= until) throw error;
        // The broker immediately refuses a session that is held, so the request is repeated.
        await pause(timing.clock, Math.min(askAgain, options.maxWaitTimeInMs), options.abortSignal);
        this.#enter(entity);
      }
    }
    const granted = { ...grantedSession(link), entity, link, minWaitTimeInMs };
    return this.#keep(new AzureSessionReceiver(granted, this.#management, (session) => this.#open.delete(session)));
  }

  async peek(entity: string, options: PeekOptions): Promise<readonly Delivery[]> {
    this.#enter(entity);
    checkEngineOptions.peek(options);
    return this.#management.peek(entity, options);
  }

  async receiveDeferred(
    entity: string,
    sequenceNumbers: readonly bigint[],
    options: ReceiveDeferredOptions,
  ): Promise<readonly Delivery[]> {
    this.#enter(entity);
    checkEngineOptions.receiveDeferred(options);
    checkSequenceNumbers(sequenceNumbers);
    if (sequenceNumbers.length === 0) return [];
    const deliveries = await this.#management.receiveDeferred(entity, sequenceNumbers, options);
    for (const { lockToken } of deliveries)
      if (lockToken !== undefined) this.#deferred.set(lockToken, options.sessionId);
    return deliveries;
  }

  async schedule(
    entity: string,
    envelopes: readonly Envelope[],
    options: TransactionOption = {},
  ): Promise<readonly bigint[]> {
    this.#enter(entity);
    checkEngineOptions.schedule(options);
    checkEnvelopes(envelopes);
    if (envelopes.length === 0) return [];
    const { transaction } = options;
    if (transaction === undefined) return this.#management.schedule(entity, envelopes, undefined);
    return this.#inTransaction(transaction, (open) => this.#management.schedule(entity, envelopes, open.state()));
  }

  async cancel(entity: string, sequenceNumbers: readonly bigint[]): Promise<void> {
    this.#enter(entity);
    checkSequenceNumbers(sequenceNumbers);
    if (sequenceNumbers.length > 0) await this.#management.cancel(entity, sequenceNumbers);
  }

  settle(
    entity: string,
    lockToken: LockToken,
    settlement: Settlement,
    { transaction }: TransactionOption = {},
  ): Promise<void> {
    if (transaction === undefined) return this.#settle(entity, lockToken, settlement, undefined);
    return this.#inTransaction(transaction, (open) => this.#settle(entity, lockToken, settlement, open));
  }

  async #settle(
    entity: string,
    lockToken: LockToken,
    settlement: Settlement,
    open: AzureTransaction | undefined,
  ): Promise<void> {
    this.#enter(entity);
    checkSettlement(settlement);
    const held = this.#locks.get(lockToken);
    const state = settlementState(settlement);
    if (held?.link.isOf(entity) === true && (fitsFrame(settlement) || open !== undefined)) {
      if (open === undefined) return held.link.settle(held, state);
      await held.link.settle(held, open.state(state));
      this.#settling.set(lockToken, open);
      return;
    }
    if (!isLockToken(lockToken)) throw lockLost(entity);
    if (this.#settling.has(lockToken)) throw settledInTransaction();
    if (open !== undefined) throw notByLink(this.#deferred.has(lockToken));
    // The link is gone, or the message never came by one; its lock may be held all the same.
    await this.#management.settle(entity, lockToken, settlement, this.#deferred.get(lockToken));
    this.#deferred.delete(lockToken);
  }

  async renew(entity: string, lockToken: LockToken): Promise<Date> {
    this.#enter(entity);
    if (!isLockToken(lockToken)) throw lockLost(entity);
    return this.#management.renew(entity, lockToken);
  }

  async deleteMessages(entity: string, options: DeleteOptions): Promise<number> {
    this.#enter(entity);
    checkEngineOptions.deleteMessages(options);
    return this.#management.deleteMessages(entity, options);
  }

  async listSessions(entity: string, options: ListSessionsOptions = {}): Promise<readonly string[]> {
    this.#enter(entity);
    checkEngineOptions.listSessions(options);
    return this.#management.listSessions(entity, options);
  }

  async begin(): Promise<Transaction> {
    this.#enter();
    const coordinator = await this.#coordinated();
    // Other links than the coordinator's carry its calls: a message that waits for credit has not been sent.
    return new LateTransaction(
      new AzureTransaction(await coordinator.declare(), coordinator, (ended) => {
        for (const [lockToken, transaction] of this.#settling)
          if (transaction === ended) this.#settling.delete(lockToken);
      }),
    );
  }

  async connect(): Promise<Engine> {
    this.#enter();
    return this.#keep(new AzureConnection(this.#options));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    await Promise.all([...this.#end().map((one) => one.close()), this.#broker.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async abort(): Promise<void> {
    if (this.#closed) return;
    await Promise.all([...this.#end().map((one) => one.abort?.() ?? one.close()), this.#broker.abort()]);
  }

  /** Drops every link; returns the connections, which end by themselves. */
  #end(): readonly ClosableLink[] {
    this.#closed = true;
    const others: ClosableLink[] = [];
    for (const one of this.#open) {
      if (one.drop === undefined) others.push(one);
      else one.drop();
    }
    this.#open.clear();
    return others;
  }

  async #receiveLink(
    entity: string,
    receiveMode: ReceiveLinkOptions["receiveMode"],
    request: ReceiveLinkOptions["request"],
  ): Promise<AzureReceiveLink> {
    const session = await this.#broker.session(entity);
    const { clock, timing } = this.#options;
    return AzureReceiveLink.open(session, {
      receiveMode,
      clock,
      timing,
      request,
      entity,
      locks: this.#locks,
    });
  }

  async #coordinated(): Promise<Coordinator> {
    const known = await this.#coordinator?.catch(() => undefined);
    if (known?.usable === true) return known;
    this.#coordinator = this.#broker.session("").then((session) => Coordinator.open(session, this.#broker.timing));
    return this.#coordinator;
  }

  /** @throws SobreError `InvalidOperation` for a transaction that has ended, or of another engine. */
  async #inTransaction<T>(transaction: Transaction, call: (open: AzureTransaction) => Promise<T>): Promise<T> {
    if (!(transaction instanceof LateTransaction)) throw foreignTransaction();
    return LateTransaction.run(transaction, async (inner) => {
      if (inner instanceof AzureTransaction) return call(inner);
      throw foreignTransaction();
    });
  }

  #keep<T extends ClosableLink>(one: T): T {
    if (this.#closed) {
      one.drop?.();
      throw closed("connection");
    }
    this.#open.add(one);
    return one;
  }

  #enter(...entities: readonly string[]): void {
    if (this.#closed) throw closed("connection");
    for (const entity of entities) checkEntity(entity);
  }
}

/** Milliseconds until a session that is held is asked for again. */
const askAgain = 200;

const isHeld = (error: unknown): boolean => error instanceof SobreError && error.code === "SessionCannotBeLocked";

const isAborted = (abortSignal: AbortSignal | undefined): boolean => abortSignal?.aborted === true;

const aborted = (): SobreError => new SobreError("Aborted", "Accepting a session was aborted.");

/** Why a message cannot be settled in a transaction, which works only through links. */
const notByLink = (isDeferred: boolean): SobreError =>
  isDeferred
    ? new SobreError(
        "InvalidOperation",
        "A deferred message received by sequence number cannot be settled in a transaction. Settle it without one.",
      )
    : new SobreError(
        "MessageLockLost",
        "No open link of this connection holds the lock, as a transaction requires: it has expired, the message was already settled, or its receiver was closed. Receive the message again.",
      );

const lockLost = (entity: string): SobreError =>
  new SobreError(
    "MessageLockLost",
    `The lock is not held on '${entity}': no receiver of this connection got that lock token. Receive the message again.`,
  );
