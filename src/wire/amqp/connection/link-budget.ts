import type { ConnectionLimits } from "./connection-limits.ts";
import type { AttachPerformative } from "./performative.ts";
import { WireFault } from "./wire-fault.ts";

/**
 * Measured bytes of a session, of a link, of a link that waits for a messaging session, and of a refused link, without
 * the texts of their frames.
 */
const held = { session: 400, link: 2400, parked: 550, refused: 250 } as const;

/** Bytes that a link saves while it waits for a messaging session. */
const saved = held.link - held.parked;

/** Bytes of unfinished messages that a connection may have at once; a single message may be larger. */
const maxUnfinishedBytes = 8 * 2 ** 20;

/** How far beyond the limit links are refused one by one, before their connection is closed. */
const patience = 1.25;

/** The memory that the sessions and links of a peer hold together, apart from messages that it has sent or asked for. */
export class LinkBudget {
  readonly #limits: ConnectionLimits;
  #links = 0;
  #bytes = 0;
  /** Bytes of messages whose last frame has not arrived, and of requests that wait for their answer. */
  #unfinished = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Counts a session of the peer. @throws WireFault when there are too many. */
  addSession(): void {
    this.#add(held.session);
  }

  removeSession(): void {
    this.#bytes -= held.session;
  }

  /**
   * Counts a link of the peer.
   *
   * @returns Its cost, for {@link removeLink}, and the reason if it must be refused.
   * @throws WireFault when the peer keeps attaching links that are refused.
   */
  addLink(attach: AttachPerformative): { readonly cost: number; readonly refusal?: string } {
    const cost = held.link + attachBytes(attach);
    const { maxLinks, maxLinkBytes } = this.#limits;
    this.#links++;
    if (this.#links <= maxLinks && this.#bytes + cost <= maxLinkBytes) {
      this.#bytes += cost;
      return { cost };
    }
    // A refused link keeps its name until the peer has detached it.
    const rest = held.refused + attach.name.length * 2;
    this.#add(rest);
    const most = this.#links > maxLinks ? `${maxLinks} links` : `links of ${maxLinkBytes} bytes`;
    return {
      cost: rest,
      refusal: `The connection has ${most}, the maximum. Detach one, or open another connection.`,
    };
  }

  /** A link to a receiver starts waiting, and needs little until then. @returns Its cost from now on. */
  park(cost: number): number {
    this.#bytes -= saved;
    return cost - saved;
  }

  /** The link no longer waits. @returns Its cost from now on. */
  unpark(cost: number): number {
    this.#bytes += saved;
    return cost + saved;
  }

  /** Whether a link that waits could be opened. */
  get hasRoom(): boolean {
    return this.#bytes + saved <= this.#limits.maxLinkBytes;
  }

  /** A link of the peer has ended. */
  removeLink(cost: number): void {
    this.#links--;
    this.#bytes -= cost;
  }

  /**
   * Counts more bytes of a message that is not finished, of which `counted` are in the budget; false, and nothing
   * counted, when there are too many.
   */
  hold(bytes: number, counted: number): boolean {
    if (this.#unfinished > counted && this.#unfinished + bytes > maxUnfinishedBytes) return false;
    this.#unfinished += bytes;
    return true;
  }

  /** Stops counting bytes of messages that are finished or discarded. */
  drop(bytes: number): void {
    this.#unfinished -= bytes;
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.maxLinkBytes * patience)
      throw new WireFault(
        "amqp:resource-limit-exceeded",
        "The connection exceeds the maximum number of sessions and links.",
      );
  }
}

/** Bytes of the texts of an attach that are kept; a character outside Latin-1 takes two. */
const attachBytes = ({ name, source, target }: AttachPerformative): number =>
  2 * (name.length + (source?.address?.length ?? 0) + (target?.address?.length ?? 0));
