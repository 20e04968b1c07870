import type { DeliveryState } from "./delivery-state.ts";
import { AmqpLink, type LinkEvents, type LinkSetup } from "./link.ts";
import type { DirectMessage, Outgoing, OutgoingDelivery, OutgoingEvents } from "./outgoing.ts";
import type { Flow } from "./performative.ts";
import type { SessionPort } from "./ports.ts";
import { distance, plus } from "./serial.ts";

/** Callbacks of a sending link. */
export interface SendingLinkEvents extends LinkEvents, OutgoingEvents {
  /** There may be credit now, or the peer wants the credit drained. */
  readonly flowed: () => void;
}

/** The sending end of a link. */
export class SendingLink extends AmqpLink {
  events: SendingLinkEvents | undefined;
  /** How many messages may be sent now. */
  credit = 0;
  /** Whether the peer wants the credit drained. */
  drain = false;
  #deliveryCount = 0;

  constructor(session: SessionPort, identity: { readonly name: string; readonly handle: number }) {
    super(session, { ...identity, role: "sender" });
  }

  /** Answers the peer's attach, or attaches on this side's own wish. */
  open(setup: LinkSetup, events: SendingLinkEvents): void {
    this.events = events;
    this.attach(setup, { initialDeliveryCount: 0 });
  }

  /** Whether a message can go out at once. */
  get ready(): boolean {
    return this.isAttached && this.credit > 0 && this.session.canSend;
  }

  /** Sends a message; takes one credit. @returns The delivery. */
  send(outgoing: Outgoing): OutgoingDelivery {
    this.credit--;
    this.#deliveryCount = plus(this.#deliveryCount, 1);
    return this.session.send(this, outgoing);
  }

  /**
   * Sends a message that may write itself; it becomes the delivery's context.
   *
   * @throws The error of its payload; nothing is sent then, and no credit taken.
   */
  sendDirect(message: DirectMessage): void {
    this.credit--;
    this.#deliveryCount = plus(this.#deliveryCount, 1);
    try {
      this.session.sendDirect(this, message);
    } catch (error) {
      this.credit++;
      this.#deliveryCount = plus(this.#deliveryCount, -1);
      throw error;
    }
  }

  /** Settles the delivery with an outcome and reports it to the peer. */
  settle(delivery: OutgoingDelivery, state: DeliveryState): void {
    this.session.settleOutgoing(delivery, state);
  }

  /** Gives up the remaining credit, as the peer asked. */
  drained(): void {
    if (!this.drain || this.state !== "attached") return;
    this.#deliveryCount = plus(this.#deliveryCount, this.credit);
    this.credit = 0;
    this.drain = false;
    this.#tell(true);
  }

  flowed(flow: Flow): void {
    if (flow.linkCredit !== undefined) {
      const behind = distance(flow.deliveryCount ?? 0, this.#deliveryCount);
      this.credit = Math.max(0, flow.linkCredit - Math.max(0, behind));
      this.drain = flow.drain ?? false;
    }
    if (flow.echo === true && this.state === "attached" && !this.drain) this.#tell(false);
    if (this.state === "attached") this.events?.flowed();
  }

  protected override letGo(): void {
    // Deliveries that wait belong to the session.
  }

  protected override attachedNow(): void {
    if (this.credit > 0 || this.drain) this.events?.flowed();
  }

  #tell(drain: boolean): void {
    this.session.writeFlow({
      handle: this.handle,
      deliveryCount: this.#deliveryCount,
      linkCredit: this.credit,
      drain: drain ? true : undefined,
    });
  }
}
