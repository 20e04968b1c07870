import type { ByteWriter } from "../values/byte-writer.ts";
import type { DeliveryState } from "./delivery-state.ts";
import { Link, type LinkEvents, type LinkSetup } from "./link.ts";
import type { Flow } from "./performative.ts";
import { distance, plus } from "./serial.ts";
import type { Session } from "./session.ts";

/** A delivery that this side has sent and its peer has not settled. */
export interface OutgoingDelivery {
  readonly id: number;
  readonly link: SendingLink;
  /** What its sender wants to remember. */
  readonly context: unknown;
}

/** What the sending end of a link tells. */
export interface SendingLinkEvents extends LinkEvents {
  /** There may be credit now, or the peer wants the credit drained. */
  readonly flowed: () => void;
  /** The peer has said how a delivery ended for it; an unsettled one waits for {@link SendingLink.settle}. */
  readonly disposed: (delivery: OutgoingDelivery, state: DeliveryState | undefined, settled: boolean) => void;
}

/** A message to send. */
export interface Outgoing {
  readonly payload: Uint8Array;
  readonly tag: Uint8Array;
  readonly settled: boolean;
  readonly messageFormat?: number | undefined;
  readonly context?: unknown;
  readonly state?: DeliveryState | undefined;
}

/** A message that writes itself into a frame when it fits into one. */
export interface DirectMessage extends Pick<Outgoing, "payload" | "tag" | "settled"> {
  /** No fewer bytes than the message takes; `Infinity`: only {@link Outgoing.payload} can be sent. */
  readonly most: number;
  /** Writes the tag as the binary that it is. */
  writeTag(writer: ByteWriter): void;
  write(writer: ByteWriter): void;
}

/** The end of a link that messages leave from. */
export class SendingLink extends Link {
  events: SendingLinkEvents | undefined;
  /** How many messages may be sent now. */
  credit = 0;
  /** Whether the peer wants no credit to be left over. */
  drain = false;
  #deliveryCount = 0;

  constructor(session: Session, identity: { readonly name: string; readonly handle: number }) {
    super(session, { ...identity, role: "sender" });
  }

  /** Answers the peer's attach, or attaches on this side's own wish. */
  open(setup: LinkSetup, events: SendingLinkEvents): void {
    this.events = events;
    this.attach(setup, { initialDeliveryCount: 0 });
  }

  /** Whether nothing hinders a message from going out at once. */
  get ready(): boolean {
    return this.state === "attached" && this.credit > 0 && this.session.canSend;
  }

  /** Sends a message; takes one credit. @returns The delivery. */
  send(outgoing: Outgoing): OutgoingDelivery {
    this.credit--;
    this.#deliveryCount = plus(this.#deliveryCount, 1);
    return this.session.send(this, outgoing);
  }

  /**
   * Sends a message that may write itself, which is the delivery's context.
   *
   * @throws What its payload throws; nothing is sent then, and no credit taken.
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

  /** Tells the peer that the delivery is settled, and how. */
  settle(delivery: OutgoingDelivery, state: DeliveryState): void {
    this.session.settleOutgoing(delivery, state);
  }

  /** Gives up the credit that is left, as the peer has asked. */
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
