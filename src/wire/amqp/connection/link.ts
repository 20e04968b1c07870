import type { AmqpMap } from "../../../core/values/typed.ts";
import type { AttachPerformative, Detach, Flow, Role, Terminus } from "./performative.ts";
import type { SessionPort } from "./ports.ts";
import type { WireError } from "./wire-fault.ts";

/** Callbacks of a link to its owner. */
export interface LinkEvents {
  /** The peer has answered the attach of this side. */
  readonly attached?: ((attach: AttachPerformative) => void) | undefined;
  /** The link has ended: the peer has detached, or its session or connection has ended. */
  readonly detached: (error: WireError | undefined) => void;
  /** The link has ended on both sides; called once, whoever ended it. */
  readonly closed?: (() => void) | undefined;
}

/** How a link is answered, or attached by this side. */
export interface LinkSetup {
  readonly source?: Terminus | undefined;
  readonly target?: Terminus | undefined;
  readonly maxMessageSize?: bigint | undefined;
  readonly properties?: AmqpMap | undefined;
  readonly sndSettleMode?: number | undefined;
  readonly rcvSettleMode?: number | undefined;
}

/** `asked` by the peer, `asking` the peer, `attached`, `detaching` until the peer answers, `over` at the end. */
export type LinkState = "asked" | "asking" | "attached" | "detaching" | "over";

/** The base of sending and receiving links. */
export abstract class AmqpLink {
  readonly session: SessionPort;
  readonly name: string;
  /** This side's role. */
  readonly role: Role;
  /** This side's handle. */
  readonly handle: number;
  state: LinkState;
  /** The reason for which it was attached without source and target, if it was. */
  #refusal: WireError | undefined;
  /** The cost charged to the peer for it. */
  cost = 0;
  /** The peer's answer; for `asking` links not yet known. */
  remote: AttachPerformative | undefined;

  constructor(session: SessionPort, identity: { readonly name: string; readonly role: Role; readonly handle: number }) {
    this.session = session;
    this.name = identity.name;
    this.role = identity.role;
    this.handle = identity.handle;
    this.state = "asking";
  }

  /** Whether both sides have attached it and neither has begun to detach. */
  get isAttached(): boolean {
    return this.state === "attached";
  }

  abstract readonly events: LinkEvents | undefined;
  /** The peer's flow for this link. */
  abstract flowed(flow: Flow): void;
  protected abstract attachedNow(): void;
  /** Releases what an unfinished delivery holds. */
  protected abstract letGo(): void;

  /** Attaches this end: answers the peer, or asks it. */
  protected attach(setup: LinkSetup, counts: { readonly initialDeliveryCount?: number | undefined }): void {
    const { remote } = this;
    this.session.writeAttach({
      name: this.name,
      handle: this.handle,
      role: this.role,
      sndSettleMode: setup.sndSettleMode ?? remote?.sndSettleMode ?? 2,
      rcvSettleMode: setup.rcvSettleMode ?? remote?.rcvSettleMode ?? 0,
      source: setup.source,
      target: setup.target,
      initialDeliveryCount: counts.initialDeliveryCount,
      maxMessageSize: setup.maxMessageSize,
      properties: setup.properties,
    });
    if (this.state !== "asked") return;
    this.state = "attached";
    this.attachedNow();
  }

  /** The peer has answered. */
  answered(attach: AttachPerformative): void {
    this.remote = attach;
    // A refusal is an attach without a terminus, followed at once by the detach.
    if (this.state === "asking") this.state = "attached";
    this.events?.attached?.(attach);
    this.attachedNow();
  }

  /** Refuses what the peer has asked for: both frames go out in one write, or some clients misread them. */
  refuse(error: WireError): void {
    if (this.state !== "asked") return;
    this.attach({}, { initialDeliveryCount: this.role === "sender" ? 0 : undefined });
    this.remote = undefined;
    this.detach(error);
  }

  /**
   * Refuses what the peer has asked for with the attach alone. The error follows with the answer to the peer's detach, or with
   * a {@link detach} of this side, for clients that misread both frames in one write.
   */
  refuseLater(error: WireError): void {
    if (this.state !== "asked") return;
    this.#refusal = error;
    this.attach({}, { initialDeliveryCount: this.role === "sender" ? 0 : undefined });
    this.remote = undefined;
  }

  /** Ends the link. Waits for the peer's answer; whatever it sends until then is ignored. */
  detach(error?: WireError): void {
    if (this.state !== "attached" && this.state !== "asking") return;
    this.state = "detaching";
    this.letGo();
    this.session.writeDetach({ handle: this.handle, closed: true, error });
  }

  /** The peer has detached. */
  detachedBy({ closed, error }: Detach): void {
    const { state } = this;
    this.state = "over";
    this.letGo();
    if (state === "asked") this.#attachNothing();
    if (state !== "detaching") this.session.writeDetach({ handle: this.handle, closed, error: this.#refusal });
    if (state !== "detaching" || error !== undefined) this.events?.detached(error);
    this.events?.closed?.();
  }

  /** The session is over. */
  ended(error: WireError | undefined): void {
    const { state } = this;
    this.state = "over";
    if (state === "over") return;
    this.letGo();
    this.events?.detached(error);
    this.events?.closed?.();
  }

  #attachNothing(): void {
    const initialDeliveryCount = this.role === "sender" ? 0 : undefined;
    const { name, handle, role } = this;
    this.session.writeAttach({ name, handle, role, sndSettleMode: 2, rcvSettleMode: 0, initialDeliveryCount });
  }
}
