import type { DirectMessage, Outgoing, OutgoingDelivery, OutgoingLink } from "./outgoing.ts";
import type { Begin, Disposition, Flow } from "./performative.ts";
import type { WindowPort } from "./ports.ts";
import { distance, plus } from "./serial.ts";
import { UnsettledDeliveries } from "./unsettled-deliveries.ts";

/** A message that is being sent, and how much of it has been. */
interface PendingTransfer {
  readonly link: OutgoingLink;
  readonly outgoing: Outgoing;
  readonly id: number;
  from: number;
}

/** No messages; never written to. */
const noTransfers: PendingTransfer[] = [];

/** The outgoing transfers of a session: within the peer's window, in order, kept until they are settled. */
export class OutgoingWindow {
  readonly #session: WindowPort;
  /** None until there is one, since most sessions are idle. */
  #ofUnsettled: UnsettledDeliveries<OutgoingDelivery> | undefined;
  #pending: PendingTransfer[] = noTransfers;
  #nextDeliveryId: number;
  #remoteWindow = 0;
  /** The number of the next frame with a message. */
  nextId = 0;

  constructor(session: WindowPort) {
    this.#session = session;
    this.#nextDeliveryId = session.connection.firstDeliveryId();
  }

  /** Whether the next message can be sent without waiting. */
  get open(): boolean {
    return this.#remoteWindow > 0 && this.#pending.length === 0;
  }

  get #unsettled(): UnsettledDeliveries<OutgoingDelivery> {
    return (this.#ofUnsettled ??= new UnsettledDeliveries());
  }

  /** How many frames the peer's window has room for. */
  get room(): number {
    return this.#remoteWindow;
  }

  remoteBegan(begin: Begin): void {
    this.#remoteWindow = begin.incomingWindow;
  }

  remoteFlowed(flow: Flow): void {
    const sent = distance(flow.nextIncomingId ?? 0, this.nextId);
    this.#remoteWindow = Math.max(0, flow.incomingWindow - Math.max(0, sent));
    this.#go();
  }

  send(link: OutgoingLink, outgoing: Outgoing): OutgoingDelivery {
    const id = this.#nextDeliveryId;
    this.#nextDeliveryId = plus(id, 1);
    const delivery = { id, link, context: outgoing.context, isSettling: false };
    if (!outgoing.settled) this.#unsettled.add(delivery);
    if (this.#pending === noTransfers) this.#pending = [];
    this.#pending.push({ link, outgoing, id, from: 0 });
    this.#go();
    return delivery;
  }

  /** Sends a message that writes itself, at once if there is room for all of it. @throws Whatever the message throws. */
  sendDirect(link: OutgoingLink, message: DirectMessage): void {
    if (this.open && link.isAttached && this.#sendFrame(link, message)) return;
    const { payload, tag, settled } = message;
    this.send(link, { payload, tag, settled, context: message });
  }

  #sendFrame(link: OutgoingLink, message: DirectMessage): boolean {
    const { connection, channel } = this.#session;
    const { maxOutgoingFrame } = connection;
    if (message.least > maxOutgoingFrame) return false;
    const id = this.#nextDeliveryId;
    const transfer = { handle: link.handle, deliveryId: id };
    if (!connection.frames.message(channel, transfer, message, maxOutgoingFrame)) return false;
    this.#nextDeliveryId = plus(id, 1);
    if (!message.settled) this.#unsettled.add({ id, link, context: message, isSettling: false });
    this.#sent();
    return true;
  }

  forget(id: number): void {
    this.#unsettled.delete(id);
  }

  /** Handles the peer's disposition; a range larger than the deliveries that exist costs no more than they do. */
  disposed({ first, last, settled, state }: Disposition): void {
    const count = plus(last, -first) + 1;
    if (count > 1) this.#session.connection.spend(Math.min(count, this.#unsettled.extent));
    this.#unsettled.visit(first, last, (delivery) => this.#dispose(delivery, settled, state));
  }

  /** Handles the peer's disposition that accepts or releases a range. */
  ended({ first, last, settled, state }: Pick<Disposition, "first" | "last" | "settled" | "state">): void {
    this.disposed({ role: "receiver", first, last, settled, state });
  }

  #dispose(delivery: OutgoingDelivery, settled: boolean, state: Disposition["state"]): void {
    if (!settled && (state === undefined || state.kind === "received")) return;
    if (settled) this.#unsettled.delete(delivery.id);
    // A delivery that is being settled is not settled again.
    if (delivery.isSettling) return;
    delivery.isSettling = true;
    delivery.link.events?.disposed(delivery, state, settled);
  }

  /** A frame was written. */
  #sent(): void {
    this.#remoteWindow--;
    this.nextId = plus(this.nextId, 1);
    if (this.#remoteWindow === 0) this.#session.exhausted();
  }

  /** Writes frames while the peer has room. */
  #go(): void {
    let done = 0;
    for (; done < this.#pending.length && this.#remoteWindow > 0; done++) {
      const pending = this.#pending[done];
      if (pending === undefined || !this.#write(pending)) break;
    }
    if (done > 0) this.#pending.splice(0, done);
  }

  /** Writes the frames of a message; false when the window closed before the last one. */
  #write(pending: PendingTransfer): boolean {
    const { link, outgoing, id } = pending;
    const { payload, messageFormat = 0, settled, state } = outgoing;
    // The rest of a delivery is not sent once its link is detached.
    if (!link.isAttached) return true;
    const { connection, channel } = this.#session;
    do {
      if (this.#remoteWindow === 0) return false;
      const first = pending.from === 0;
      const head = first ? { deliveryId: id, deliveryTag: outgoing.tag, messageFormat, settled, state } : {};
      const part = { payload, from: pending.from, maxFrameSize: connection.maxOutgoingFrame };
      pending.from = connection.frames.transfer(channel, { handle: link.handle, aborted: false, ...head }, part);
      this.#sent();
    } while (pending.from < payload.byteLength);
    return true;
  }
}
