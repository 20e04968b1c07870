import type { Delivery, LockToken, ReceiveMode, Settlement } from "../../../core/engine/delivery.ts";
import type { Engine, EngineReceiver } from "../../../core/engine/engine.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import {
  accepted,
  type DeliveryState,
  type DeliveryOutcome,
  type Transactional,
} from "../../../wire/amqp/connection/delivery-state.ts";
import type { OutgoingDelivery } from "../../../wire/amqp/connection/outgoing.ts";
import type { SendingLink, SendingLinkEvents } from "../../../wire/amqp/connection/sending-link.ts";
import { type WireError, wireErrorOf } from "../../../wire/amqp/connection/wire-fault.ts";
import { DeliveryMessage } from "../../../wire/amqp/message/delivery-message.ts";
import { settlementOf } from "./settlement-of.ts";
import type { Transactions } from "./transactions.ts";

/** Messages to take from the engine in one call: initially, and at most. */
const batch = { first: 8, most: 128 };
/** Target size in bytes of the messages taken in one call. */
const batchBytes = 256 * 1024;

/** Options of a receiving client's link. */
export interface OutboundLinkOptions {
  readonly entity: string;
  readonly engine: Engine;
  readonly receiver: EngineReceiver;
  readonly receiveMode: ReceiveMode;
  readonly transactions: Transactions;
  /** Called when the link has ended. */
  readonly closed?: (() => void) | undefined;
}

/** The link of a receiving client: sends the messages of an entity as its credit allows. */
export class OutboundLink implements SendingLinkEvents {
  readonly #link: SendingLink;
  readonly #options: OutboundLinkOptions;
  readonly #settled: boolean;
  /** Number of messages to take next, by the size of the previous ones. */
  #batch = batch.first;
  #receiving = false;
  #pumping = false;
  /** Whether the entity had as many messages as requested, so that it may have more. */
  #hasMore = true;
  #waiting: AbortController | undefined;
  /** Taken from the engine but not sent yet, for lack of credit or room. */
  #backlog: Delivery[] = [];
  #over = false;
  /** The reason why its session is another client's. */
  #lost: SobreError | undefined;

  constructor(link: SendingLink, options: OutboundLinkOptions) {
    this.#link = link;
    this.#options = options;
    this.#settled = options.receiveMode === "receiveAndDelete";
  }

  /** Called when credit or room may have come. */
  flowed(): void {
    this.#sendBacklog();
    // A waiting receive does not notice a drain, or credit or room that is gone.
    const { drain, credit, session } = this.#link;
    if (this.#receiving && (drain || credit === 0 || session.room === 0)) this.#waiting?.abort();
    if (this.#pumping) return;
    this.#pumping = true;
    // The rest of the same read is processed first: a detached link must not take messages.
    queueMicrotask(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  disposed(delivery: OutgoingDelivery, state: DeliveryState | undefined, settled: boolean): void {
    if (state?.kind === "transactional") {
      void this.#settleIn(state, delivery, settled);
      return;
    }
    const settling = this.#settle(delivery, state);
    if (settled) {
      // The outcome is not needed: after a lost lock, the message went to another receiver.
      settling.catch(() => undefined);
      return;
    }
    settling.then(
      () => this.#link.settle(delivery, appliedState(state)),
      (error: unknown) =>
        this.#link.settle(delivery, { kind: "rejected", error: this.#link.session.connection.errorOf(error) }),
    );
  }

  /**
   * Called when the link has ended. Locks stay with the connection; a session is released, unless its client may have
   * crashed.
   */
  detached(): void {
    this.#over = true;
    this.#waiting?.abort();
    this.#release();
    // A lost connection ends its receivers without releasing their locks.
    if (!this.#link.session.connection.lost) this.#options.receiver.close().catch(() => undefined);
    this.#options.closed?.();
  }

  /** Ends the link with this error. */
  end(error: unknown): void {
    if (!this.#over) this.#end(this.#link.session.connection.errorOf(error));
  }

  /**
   * Another client has taken the session over: it gets what was not sent. The client of this link hears of it with its next
   * request, or at once if it waits for messages.
   */
  takenOver(reason: SobreError): void {
    this.#lost = reason;
    this.#release();
    if (this.#link.credit > 0) this.end(reason);
  }

  /** Releases messages that were never sent, without counting a delivery. */
  #release(): void {
    const { engine, entity } = this.#options;
    for (const { lockToken } of this.#backlog.splice(0))
      if (lockToken !== undefined) engine.settle(entity, lockToken, { kind: "release" }).catch(() => undefined);
  }

  #pump(): void {
    if (this.#receiving || this.#link.state !== "attached") return;
    if (this.#link.drain && this.#link.credit === 0) this.#link.drained();
    const { credit, ready, session } = this.#link;
    if (!ready || this.#backlog.length > 0 || session.connection.full) return;
    this.#receiving = true;
    const waits = !this.#hasMore && !this.#link.drain;
    // While waiting, credit may be withdrawn and room used by others, but deleted messages must be sent.
    const maxMessages = waits && this.#settled ? 1 : Math.min(credit, session.room, this.#batch);
    this.#receive(maxMessages, waits).then(
      (deliveries) => this.#received(deliveries, maxMessages),
      (error: unknown) => this.#end(this.#link.session.connection.errorOf(error)),
    );
  }

  /** Takes no more than can be sent immediately: messages deleted when taken must reach the client. */
  #receive(maxMessages: number, waits: boolean): Promise<readonly Delivery[]> {
    const { receiver } = this.#options;
    if (!waits) return receiver.receive({ maxMessages, maxWaitTimeInMs: 0 });
    this.#waiting ??= new AbortController();
    return receiver.receive({ maxMessages, maxWaitTimeInMs: Infinity, abortSignal: this.#waiting.signal });
  }

  #received(deliveries: readonly Delivery[], wanted: number): void {
    this.#receiving = false;
    this.#hasMore = deliveries.length === wanted;
    if (deliveries.length > 0) this.#batch = batchAfter(deliveries, this.#batch);
    if (this.#waiting?.signal.aborted === true) this.#waiting = undefined;
    if (this.#backlog.length === 0) this.#backlog = [...deliveries];
    else this.#backlog.push(...deliveries);
    if (this.#over) return this.#release();
    this.#sendBacklog();
    if (deliveries.length === 0 && this.#link.drain) this.#link.drained();
    this.#pump();
  }

  #sendBacklog(): void {
    if (this.#backlog.length === 0) return;
    let sent = 0;
    let lost: WireError | undefined;
    for (const delivery of this.#backlog) {
      if (!this.#link.ready) break;
      sent++;
      try {
        this.#link.sendDirect(new DeliveryMessage(delivery, this.#settled));
      } catch (error) {
        if (delivery.lockToken === undefined) lost = this.#link.session.connection.errorOf(error);
        else this.#deadLetter(delivery.lockToken, error);
      }
    }
    if (sent > 0) this.#backlog = this.#backlog.slice(sent);
    if (lost !== undefined) this.#end(lost);
  }

  /**
   * A message that AMQP cannot represent would be redelivered endlessly; if it cannot be dead-lettered, the link ends.
   */
  #deadLetter(token: LockToken, error: unknown): void {
    const { engine, entity } = this.#options;
    const told = wireErrorOf(error);
    const settlement: Settlement = {
      kind: "deadLetter",
      deadLetterReason: error instanceof SobreError ? error.code : told.condition,
      deadLetterErrorDescription: told.description,
    };
    engine.settle(entity, token, settlement).catch(() => this.#end(told));
  }

  #end(error: WireError): void {
    this.#link.detach(error);
    this.detached();
  }

  #settle(
    delivery: OutgoingDelivery,
    state: DeliveryOutcome | { readonly kind: "received" } | undefined,
  ): Promise<void> {
    const token = tokenOf(delivery);
    if (token === undefined) return resolved;
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const { engine, entity } = this.#options;
    try {
      return engine.settle(entity, token, settlementOf(state?.kind === "received" ? undefined : state));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Settles in a transaction: its commit fails if that does, even if nobody waits for the outcome. */
  async #settleIn(state: Transactional, delivery: OutgoingDelivery, settled: boolean): Promise<void> {
    const { engine, entity, transactions } = this.#options;
    const { session } = this.#link;
    const token = tokenOf(delivery);
    const work = transactions.join(state.transactionId);
    try {
      await work.run(async (transaction) => {
        if (this.#lost !== undefined) throw this.#lost;
        if (token !== undefined) await engine.settle(entity, token, settlementOf(state.outcome), { transaction });
      });
      if (!settled) this.#link.settle(delivery, appliedState(state));
    } catch (error) {
      if (!settled) this.#link.settle(delivery, { kind: "rejected", error: session.connection.errorOf(error) });
      session.flush();
    }
    work.end(!settled);
  }
}

const tokenOf = ({ context }: OutgoingDelivery): LockToken | undefined =>
  context instanceof DeliveryMessage ? context.delivery.lockToken : undefined;

const resolved = Promise.resolve();

/** How many messages of this size to take next, at most twice as many as before. */
function batchAfter(deliveries: readonly Delivery[], before: number): number {
  let bytes = 0;
  for (const { envelope } of deliveries) bytes += envelope.payload.byteLength;
  const fitting = bytes === 0 ? Infinity : Math.floor((batchBytes * deliveries.length) / bytes);
  return Math.max(1, Math.min(fitting, before * 2, batch.most));
}

/**
 * The state that confirms a settlement: the applied outcome, since some clients accept no other. A rejection carries no
 * error, which would mean that it failed.
 */
function appliedState(state: DeliveryState | undefined): DeliveryState {
  switch (state?.kind) {
    case "transactional":
      return { ...state, outcome: state.outcome && appliedOutcome(state.outcome) };
    case "received":
      return accepted;
    default:
      return appliedOutcome(state);
  }
}

function appliedOutcome(outcome: DeliveryOutcome | undefined): DeliveryOutcome {
  switch (outcome?.kind) {
    case "rejected":
      return { kind: "rejected" };
    case "modified":
      return { ...outcome, annotations: undefined };
    case "released":
      return outcome;
    default:
      return accepted;
  }
}
