import type { ConnectionLimits } from "./connection-limits.ts";
import type { Attach } from "./performative.ts";
import { WireFault } from "./wire-fault.ts";

/** Bytes that a session holds, a link, one that waits for what its filter asks for, and one that was refused; measured. */
const held = { session: 650, link: 1000, wait: 4200, refused: 250 } as const;

/** Bytes of unfinished messages that a connection may have at once; one larger message may come alone. */
const mostUnfinished = 8 * 2 ** 20;

/** How far beyond the limit links are refused one by one, before their connection is closed. */
const patience = 1.25;

/** The memory that the sessions and links of a peer hold together, apart from messages that it has sent or asked for. */
export class LinkBudget {
  readonly #limits: ConnectionLimits;
  #links = 0;
  #bytes = 0;
  /** Bytes of messages whose last frame has not come, and of requests that wait for their answer. */
  #unfinished = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** A session of the peer begins. @throws WireFault when it is one too many. */
  addSession(): void {
    this.#add(held.session);
  }

  removeSession(): void {
    this.#bytes -= held.session;
  }

  /**
   * A link of the peer is there.
   *
   * @param attachSize The bytes that it was asked for with.
   * @returns Its cost, for {@link removeLink}, and the reason if it must be refused.
   * @throws WireFault when the peer goes on and on with links that are refused.
   */
  addLink(attach: Attach, attachSize: number): { readonly cost: number; readonly refusal?: string } {
    const cost = held.link + attachSize + waitOf(attach);
    const { maxLinks, maxLinkBytes } = this.#limits;
    this.#links++;
    if (this.#links <= maxLinks && this.#bytes + cost <= maxLinkBytes) {
      this.#bytes += cost;
      return { cost };
    }
    // Its name is kept until the peer has detached it.
    const rest = held.refused + attach.name.length * 2;
    this.#add(rest);
    const most = this.#links > maxLinks ? `${maxLinks} links` : `links of ${maxLinkBytes} bytes`;
    return {
      cost: rest,
      refusal: `The connection has ${most}, the maximum. Detach one, or open another connection.`,
    };
  }

  /** A link waits no longer. @returns What it costs from now on. */
  opened(attach: Attach, cost: number): number {
    const wait = Math.min(cost, waitOf(attach));
    this.#bytes -= wait;
    return cost - wait;
  }

  /** A link of the peer's is over. */
  removeLink(cost: number): void {
    this.#links--;
    this.#bytes -= cost;
  }

  /**
   * Counts more bytes of a message that is not finished, of which `counted` are in the budget; false, and nothing
   * counted, when there are too many.
   */
  hold(bytes: number, counted: number): boolean {
    if (this.#unfinished > counted && this.#unfinished + bytes > mostUnfinished) return false;
    this.#unfinished += bytes;
    return true;
  }

  /** They are finished, or thrown away. */
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

const waitOf = ({ role, source }: Attach): number =>
  role === "receiver" && source?.filter !== undefined ? held.wait : 0;
