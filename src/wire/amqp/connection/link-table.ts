import type { ConnectionEvents } from "./connection-options.ts";
import type { AttachPerformative, Detach } from "./performative.ts";
import { ReceivingLink } from "./receiving-link.ts";
import { SendingLink } from "./sending-link.ts";
import type { SessionPort } from "./ports.ts";
import { type WireError, WireFault } from "./wire-fault.ts";

/** Callbacks to the owner of the links that the peer asks for. */
export type LinkTableEvents = Pick<ConnectionEvents, "attach" | "left">;

/** The links of a session by their handles. */
export class LinkTable implements Iterable<SendingLink | ReceivingLink> {
  readonly #session: SessionPort;
  readonly #events: LinkTableEvents;
  /** The only link, as in most sessions; a map for one takes more memory than the link itself. */
  #only: SendingLink | ReceivingLink | undefined;
  #onlyHandle = 0;
  #others: Map<number, SendingLink | ReceivingLink> | undefined;
  /** Links that this side has attached, by role and name, until the peer answers. */
  #asking: Map<string, SendingLink | ReceivingLink> | undefined;
  #nextHandle = 0;

  constructor(session: SessionPort, events: LinkTableEvents) {
    this.#session = session;
    this.#events = events;
  }

  *[Symbol.iterator](): Generator<SendingLink | ReceivingLink> {
    if (this.#only !== undefined) yield this.#only;
    if (this.#others !== undefined) yield* this.#others.values();
  }

  /** Makes a link that this side will attach as its sender. */
  newSender(name: string): SendingLink {
    const link = new SendingLink(this.#session, { name, handle: this.#nextHandle++ });
    (this.#asking ??= new Map()).set(`sender ${name}`, link);
    return link;
  }

  /** Makes a link that this side will attach as its receiver. */
  newReceiver(name: string): ReceivingLink {
    const link = new ReceivingLink(this.#session, { name, handle: this.#nextHandle++ });
    (this.#asking ??= new Map()).set(`receiver ${name}`, link);
    return link;
  }

  /** The link with this handle of the peer's. */
  find(handle: number): SendingLink | ReceivingLink | undefined {
    return handle === this.#onlyHandle && this.#only !== undefined ? this.#only : this.#others?.get(handle);
  }

  /** @throws WireFault `amqp:session:unattached-handle`. */
  byRemoteHandle(handle: number): SendingLink | ReceivingLink {
    const link = this.find(handle);
    if (link !== undefined) return link;
    throw new WireFault("amqp:session:unattached-handle", `No link has the handle ${handle}.`, "session");
  }

  /** Handles the peer's attach: an answer, or a link of its own. */
  attached(attach: AttachPerformative): void {
    const { handleMax } = this.#session.connection.limits;
    if (attach.handle > handleMax) {
      throw new WireFault(
        "amqp:connection:framing-error",
        `The handle ${attach.handle} is above the ${handleMax} allowed.`,
      );
    }
    if (attach.sndSettleMode > 2 || attach.rcvSettleMode > 1)
      throw new WireFault(
        "amqp:invalid-field",
        "An attach has a settle mode that AMQP 1.0 does not define.",
        "session",
      );
    if (this.find(attach.handle) !== undefined) {
      const what = `The handle ${attach.handle} belongs to another link of the session.`;
      throw new WireFault("amqp:session:handle-in-use", what, "session");
    }
    const role = attach.role === "sender" ? "receiver" : "sender";
    const key = `${role} ${attach.name}`;
    const asking = this.#asking?.get(key);
    this.#asking?.delete(key);
    const link = asking ?? this.#new(attach, role);
    this.#keep(attach.handle, link);
    if (asking === undefined) this.#ask(link, attach);
    else asking.answered(attach);
  }

  detached(detach: Detach): void {
    const link = this.byRemoteHandle(detach.handle);
    if (link === this.#only) this.#only = undefined;
    else this.#others?.delete(detach.handle);
    this.#release(link);
    link.detachedBy(detach);
  }

  /** The session is over. */
  end(error: WireError | undefined): void {
    const links = [...this, ...(this.#asking?.values() ?? [])];
    this.#only = undefined;
    this.#others = undefined;
    this.#asking = undefined;
    for (const link of links) {
      this.#release(link);
      link.ended(error);
    }
  }

  #keep(handle: number, link: SendingLink | ReceivingLink): void {
    if (this.#only === undefined) {
      this.#only = link;
      this.#onlyHandle = handle;
    } else (this.#others ??= new Map()).set(handle, link);
  }

  #release(link: SendingLink | ReceivingLink): void {
    if (link.cost === 0) return;
    this.#session.connection.budget.removeLink(link.cost);
    link.cost = 0;
    this.#events.left?.(link);
  }

  #new(attach: AttachPerformative, role: "sender" | "receiver"): SendingLink | ReceivingLink {
    const { name, handle } = attach;
    const link =
      role === "sender"
        ? new SendingLink(this.#session, { name, handle })
        : new ReceivingLink(this.#session, { name, handle });
    link.state = "asked";
    link.remote = attach;
    return link;
  }

  #ask(link: SendingLink | ReceivingLink, attach: AttachPerformative): void {
    const { cost, refusal } = this.#session.connection.budget.addLink(attach);
    link.cost = cost;
    if (refusal === undefined) this.#events.attach(link);
    else link.refuse({ condition: "amqp:resource-limit-exceeded", description: refusal });
  }
}
