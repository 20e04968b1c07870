import type { Delivery, LockToken, ReceiveMode, Settlement } from "../../engine/delivery.ts";
import type { Engine, EngineReceiver } from "../../engine/engine.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import { accepted, type DeliveryState } from "../../amqp/connection/delivery-state.ts";
import type { OutgoingDelivery } from "../../amqp/connection/outgoing.ts";
import type { SendingLink, SendingLinkEvents } from "../../amqp/connection/sending-link.ts";
import { type WireError, wireErrorOf } from "../../amqp/connection/wire-fault.ts";
import { DeliveryMessage } from "../../amqp/message/delivery-message.ts";
import { settlementOf } from "./settlement-of.ts";
import type { Transactions } from "./transactions.ts";

/** Messages that are taken from the engine at once: at first, and at most. */
const batch = { first: 8, most: 128 };
/** Bytes that the messages taken at once should not have more of. */
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

/** Where a receiving client's link begins: what an entity has goes out as the credit allows. */
export class OutboundLink implements SendingLinkEvents {
  readonly #link: SendingLink;
  readonly #options: OutboundLinkOptions;
  readonly #settled: boolean;
  /** Messages to take next: as many as have few bytes, by the size of those before. */
  #batch = batch.first;
  #receiving = false;
  #pumping = false;
  /** Whether the entity had as many messages as were wanted, so that it may have more. */
  #hasMore = true;
  #waiting: AbortController | undefined;
  /** Taken from the engine, and not sent for want of credit or room. */
  #backlog: Delivery[] = [];
  #over = false;

  constructor(link: SendingLink, options: OutboundLinkOptions) {
    this.#link = link;
    this.#options = options;
    this.#settled = options.receiveMode === "receiveAndDelete";
  }

  /** Called when credit or room may have come. */
  flowed(): void {
    this.#sendBacklog();
    // One that waits sees nothing of a drain, or of credit or room that is gone.
    const { drain, credit, session } = this.#link;
    if (this.#receiving && (drain || credit === 0 || session.room === 0)) this.#waiting?.abort();
    if (this.#pumping) return;
    this.#pumping = true;
    // Whatever came in the same read is looked at first: a link that is detached takes nothing.
    queueMicrotask(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  disposed(delivery: OutgoingDelivery, state: DeliveryState | undefined, settled: boolean): void {
    const settling = this.#settle(delivery, state);
    if (settled) {
      // Nobody waits for the outcome: a lock that is lost already has given the message to another.
      settling.catch(() => undefined);
      return;
    }
    settling.then(
      () => this.#link.settle(delivery, appliedState(state)),
      (error: unknown) =>
        this.#link.settle(delivery, { kind: "rejected", error: this.#link.session.connection.errorOf(error) }),
    );
  }

  /** The link is over. Locks stay with the connection; a session is given back, unless its client may be dead. */
  detached(): void {
    this.#over = true;
    this.#waiting?.abort();
    this.#release();
    // A connection that was lost ends its receivers without giving anything back.
    if (!this.#link.session.connection.lost) this.#options.receiver.close().catch(() => undefined);
    this.#options.closed?.();
  }

  /** Gives back messages that were never sent: no delivery is counted for them. */
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
    // Until a message comes, credit may be taken back, and room be used by others: what is deleted has to be sent.
    const maxMessages = waits && this.#settled ? 1 : Math.min(credit, session.room, this.#batch);
    this.#receive(maxMessages, waits).then(
      (deliveries) => this.#received(deliveries, maxMessages),
      (error: unknown) => this.#end(this.#link.session.connection.errorOf(error)),
    );
  }

  /** Takes no more than can be sent at once: what is deleted when it is taken has to reach the client. */
  #receive(maxMessages: number, waits: boolean): Promise<readonly Delivery[]> {
    const { receiver } = this.#options;
    if (!waits) return receiver.receive({ maxMessages, maxWaitTime: 0 });
    this.#waiting ??= new AbortController();
    return receiver.receive({ maxMessages, maxWaitTime: Infinity, signal: this.#waiting.signal });
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

  /** A message that AMQP cannot hold would come back for ever; where it cannot be dead-lettered, the link ends. */
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

  #settle({ context }: OutgoingDelivery, state: DeliveryState | undefined): Promise<void> {
    const token = context instanceof DeliveryMessage ? context.delivery.lockToken : undefined;
    if (token === undefined) return done;
    const { engine, entity, transactions } = this.#options;
    try {
      if (state?.kind !== "transactional")
        return engine.settle(entity, token, settlementOf(state?.kind === "received" ? undefined : state));
      const transaction = transactions.find(state.transactionId);
      return engine.settle(entity, token, settlementOf(state.outcome), { transaction });
    } catch (error) {
      return Promise.reject(error);
    }
  }
}

const done = Promise.resolve();

/** How many messages of such a size to take at once, and no more than twice as many as before. */
function batchAfter(deliveries: readonly Delivery[], before: number): number {
  let bytes = 0;
  for (const { envelope } of deliveries) bytes += envelope.payload.byteLength;
  const fitting = bytes === 0 ? Infinity : Math.floor((batchBytes * deliveries.length) / bytes);
  return Math.max(1, Math.min(fitting, before * 2, batch.most));
}

/**
 * The state that confirms a settlement: the outcome that was applied, since some clients accept no other. A rejection has
 * no error here, which would say that it could not be applied.
 */
function appliedState(state: DeliveryState | undefined): DeliveryState {
  switch (state?.kind) {
    case "rejected":
      return { kind: "rejected" };
    case "modified":
      return { ...state, annotations: undefined };
    case "transactional":
    case "released":
      return state;
    default:
      return accepted;
  }
}
