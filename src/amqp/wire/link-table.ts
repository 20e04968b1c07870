import type { Link } from "./link.ts";
import type { Attach, Detach } from "./performative.ts";
import { ReceivingLink } from "./receiving-link.ts";
import { SendingLink } from "./sending-link.ts";
import type { Session } from "./session.ts";
import { type WireError, WireFault } from "./wire-fault.ts";

/** The links of a session by their handles. */
export class LinkTable implements Iterable<Link> {
  readonly #session: Session;
  readonly #byRemoteHandle = new Map<number, Link>();
  /** Links that this side has asked for, until the peer answers; by role and name. */
  #asking: Map<string, Link> | undefined;
  #nextHandle = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  [Symbol.iterator](): Iterator<Link> {
    return this.#byRemoteHandle.values();
  }

  /** A link that this side is going to attach as its sender. */
  newSender(name: string): SendingLink {
    const link = new SendingLink(this.#session, { name, handle: this.#nextHandle++ });
    (this.#asking ??= new Map()).set(`sender ${name}`, link);
    return link;
  }

  /** A link that this side is going to attach as its receiver. */
  newReceiver(name: string): ReceivingLink {
    const link = new ReceivingLink(this.#session, { name, handle: this.#nextHandle++ });
    (this.#asking ??= new Map()).set(`receiver ${name}`, link);
    return link;
  }

  /** The link that the peer knows by this handle. */
  find(handle: number): Link | undefined {
    return this.#byRemoteHandle.get(handle);
  }

  /** @throws WireFault `amqp:session:unattached-handle`. */
  byRemoteHandle(handle: number): Link {
    const link = this.#byRemoteHandle.get(handle);
    if (link !== undefined) return link;
    throw new WireFault("amqp:session:unattached-handle", `No link has the handle ${handle}.`, "session");
  }

  /** The peer attaches: an answer, or a link of its own. */
  attached(attach: Attach): void {
    const { handleMax } = this.#session.connection.limits;
    if (attach.handle > handleMax) {
      throw new WireFault(
        "amqp:connection:framing-error",
        `The handle ${attach.handle} is above the ${handleMax} allowed.`,
      );
    }
    if (this.#byRemoteHandle.has(attach.handle)) {
      const what = `The handle ${attach.handle} belongs to another link of the session.`;
      throw new WireFault("amqp:session:handle-in-use", what, "session");
    }
    const role = attach.role === "sender" ? "receiver" : "sender";
    const key = `${role} ${attach.name}`;
    const asking = this.#asking?.get(key);
    this.#asking?.delete(key);
    const link = asking ?? this.#new(attach, role);
    this.#byRemoteHandle.set(attach.handle, link);
    if (asking === undefined) this.#ask(link);
    else asking.answered(attach);
  }

  detached(detach: Detach): void {
    const link = this.byRemoteHandle(detach.handle);
    this.#byRemoteHandle.delete(detach.handle);
    this.#session.connection.countLink(-1);
    link.detachedBy(detach);
  }

  /** The session is over. */
  end(error: WireError | undefined): void {
    const links = [...this.#byRemoteHandle.values(), ...(this.#asking?.values() ?? [])];
    for (let gone = 0; gone < this.#byRemoteHandle.size; gone++) this.#session.connection.countLink(-1);
    this.#byRemoteHandle.clear();
    this.#asking = undefined;
    for (const link of links) link.ended(error);
  }

  #new(attach: Attach, role: "sender" | "receiver"): Link {
    const { name, handle } = attach;
    const link =
      role === "sender"
        ? new SendingLink(this.#session, { name, handle })
        : new ReceivingLink(this.#session, { name, handle });
    link.state = "asked";
    link.remote = attach;
    return link;
  }

  #ask(link: Link): void {
    if (this.#session.connection.countLink(1)) {
      this.#session.asked(link);
      return;
    }
    const { maxLinks } = this.#session.connection.limits;
    const description = `The connection has ${maxLinks} links, as many as it may. Detach one, or open another connection.`;
    link.refuse({ condition: "amqp:resource-limit-exceeded", description });
  }
}
