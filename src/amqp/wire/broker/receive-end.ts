import type { Delivery, Engine, EngineReceiver, ReceiveMode } from "../../../engine/index.ts";
import { encodeMessage } from "../../encode-message.ts";
import { accepted, type DeliveryState } from "../delivery-state.ts";
import type { OutgoingDelivery, SendingLink } from "../sending-link.ts";
import { wireErrorOf } from "../wire-fault.ts";
import { tagOf } from "./lock-tag.ts";
import { settlementOf } from "./settlement-of.ts";
import type { Transactions } from "./transactions.ts";

/** Most messages that are taken from the engine at once. */
const batch = 64;

/** What a receiving client's link is opened with. */
export interface ReceiveEndOptions {
  readonly entity: string;
  readonly engine: Engine;
  readonly receiver: EngineReceiver;
  readonly receiveMode: ReceiveMode;
  readonly transactions: Transactions;
}

/** Where a receiving client's link begins: what an entity has goes out as the credit allows. */
export class ReceiveEnd {
  readonly #link: SendingLink;
  readonly #options: ReceiveEndOptions;
  #tag = 0;
  #receiving = false;
  #waiting: AbortController | undefined;
  /** Taken from the engine, and not sent for want of credit or room. */
  #backlog: Delivery[] = [];

  constructor(link: SendingLink, options: ReceiveEndOptions) {
    this.#link = link;
    this.#options = options;
  }

  /** Called when credit or room may have come. */
  flowed(): void {
    this.#sendBacklog();
    // One that waits sees nothing of a drain or of credit that was taken back.
    if (this.#receiving && (this.#link.drain || this.#link.credit === 0)) this.#waiting?.abort();
    this.#pump();
  }

  disposed(delivery: OutgoingDelivery, state: DeliveryState | undefined, settled: boolean): void {
    void this.#settle(delivery, state).then(
      (answer) => this.#answer(delivery, answer, settled),
      (error: unknown) => this.#answer(delivery, { kind: "rejected", error: wireErrorOf(error) }, settled),
    );
  }

  /** The link is over. Locks stay with the connection; a session is given back. */
  closed(): void {
    this.#waiting?.abort();
    void this.#options.receiver.close();
  }

  #pump(): void {
    if (this.#receiving || this.#link.state !== "attached") return;
    if (this.#link.drain && this.#link.credit === 0) this.#link.drained();
    if (!this.#link.ready || this.#backlog.length > 0) return;
    this.#receiving = true;
    void this.#receive().then(
      (deliveries) => this.#received(deliveries),
      (error: unknown) => {
        this.#link.detach(wireErrorOf(error));
        this.closed();
      },
    );
  }

  async #receive(): Promise<readonly Delivery[]> {
    const { receiver } = this.#options;
    const maxMessages = Math.min(this.#link.credit, batch);
    const ready = await receiver.receive({ maxMessages, maxWaitTime: 0 });
    if (ready.length > 0 || this.#link.drain || this.#link.credit === 0 || this.#link.state !== "attached")
      return ready;
    this.#waiting ??= new AbortController();
    // No more than one: what comes while it is handed over is taken by the next receive.
    return receiver.receive({
      maxMessages: Math.min(this.#link.credit, batch),
      maxWaitTime: Infinity,
      signal: this.#waiting.signal,
    });
  }

  #received(deliveries: readonly Delivery[]): void {
    this.#receiving = false;
    if (this.#waiting?.signal.aborted === true) this.#waiting = undefined;
    this.#backlog.push(...deliveries);
    this.#sendBacklog();
    if (deliveries.length === 0 && this.#link.drain) this.#link.drained();
    this.#pump();
  }

  #sendBacklog(): void {
    if (this.#backlog.length === 0) return;
    let sent = 0;
    for (const delivery of this.#backlog) {
      if (!this.#link.ready) break;
      this.#send(delivery);
      sent++;
    }
    if (sent > 0) this.#backlog = this.#backlog.slice(sent);
  }

  #send(delivery: Delivery): void {
    const { lockToken } = delivery;
    this.#link.send({
      payload: encodeMessage(delivery.envelope, { delivery }),
      tag: lockToken === undefined ? this.#nextTag() : tagOf(lockToken),
      settled: this.#options.receiveMode === "receiveAndDelete",
      context: delivery,
    });
  }

  #nextTag(): Uint8Array {
    const tag = Buffer.alloc(16);
    tag.writeUInt32BE(this.#tag++ >>> 0, 12);
    return tag;
  }

  async #settle(delivery: OutgoingDelivery, state: DeliveryState | undefined): Promise<DeliveryState> {
    const { engine, entity, transactions } = this.#options;
    const token = tokenIn(delivery.context);
    if (token === undefined || state?.kind === "received") return accepted;
    if (state?.kind !== "transactional") {
      await engine.settle(entity, token, settlementOf(state));
      return accepted;
    }
    const transaction = transactions.find(state.transactionId);
    await engine.settle(entity, token, settlementOf(state.outcome), { transaction });
    return state;
  }

  #answer(delivery: OutgoingDelivery, state: DeliveryState, settled: boolean): void {
    if (!settled) this.#link.settle(delivery, state);
  }
}

function tokenIn(context: unknown): Delivery["lockToken"] {
  return isDelivery(context) ? context.lockToken : undefined;
}

const isDelivery = (context: unknown): context is Delivery =>
  typeof context === "object" && context !== null && "lockToken" in context;
