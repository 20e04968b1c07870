import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { ReceivingLink } from "../../../wire/amqp/connection/receiving-link.ts";
import type { SendingLink } from "../../../wire/amqp/connection/sending-link.ts";
import { parseAddress } from "../../../core/engine/address.ts";
import type { Engine } from "../../../core/engine/engine.ts";
import type { WireError } from "../../../wire/amqp/connection/wire-fault.ts";
import { allows, type Grant, type Right } from "../access.ts";

/** Maximum number of grants per connection; a client has one per entity and direction. */
const maxGrants = 1000;

/** Rights on an entity, any of which is sufficient. */
export interface Need {
  /** `undefined`: any entity. */
  readonly entity: string | undefined;
  readonly rights: readonly Right[];
}

/** The rights that a link depends on: for its entity, and for the destination of its transfers. */
export type Needs = readonly [Need, Need?];

/** Whose a link is: the owner of the grant that opened it, with the rights of the connection that it is on. */
export interface LinkHolder {
  readonly owner: string;
  readonly grants: Grants;
  readonly needs: Needs;
}

const expired: WireError = {
  condition: "amqp:unauthorized-access",
  description: "The token of the link has expired. Put a new one and attach again, next time before it expires.",
};

/** The rights of a connection's client, all of them in one namespace, and the links that depend on them. */
export class Grants {
  /** All of the connection's namespace, once it has one. */
  #grants: readonly Grant[] = [];
  readonly #links = new Map<SendingLink | ReceivingLink, Needs>();
  /** When the first grant expires, in milliseconds since 1970. */
  #firstEnd = Infinity;
  #last: LinkHolder | undefined;
  #namespace: Engine | undefined;

  /** Adds the grant of a client without credentials, unless it belongs to another namespace. */
  addAnonymous(grant: Grant): void {
    if (this.#namespace === undefined || this.#namespace === grant.engine) this.#add(grant);
  }

  /** Adds the grant of a key or token. @throws SobreError `UnauthorizedAccess` if it is for another namespace. */
  add(grant: Grant): void {
    this.enter(grant.engine);
    this.#add(grant);
  }

  /**
   * Binds the connection to a namespace: that of its first key or token, or else the first that it uses. Rights in
   * other namespaces are forgotten.
   *
   * @throws SobreError `UnauthorizedAccess` if it is bound to another one.
   */
  enter(namespace: Engine): void {
    if (this.#namespace === namespace) return;
    if (this.#namespace !== undefined)
      throw new SobreError(
        "UnauthorizedAccess",
        "The connection belongs to another namespace. Open one connection per namespace.",
      );
    this.#namespace = namespace;
    this.#grants = this.#grants.filter(({ engine }) => engine === namespace);
  }

  /** Whether the connection is bound to the namespace, or has rights in it. */
  isOf(namespace: Engine): boolean {
    return this.#namespace === namespace || this.#grants.some(({ engine }) => engine === namespace);
  }

  /** A grant with one of the rights. @throws SobreError `UnauthorizedAccess`. */
  need(need: Need): Grant {
    const grant = this.#find(need);
    if (grant !== undefined) return grant;
    const { entity, rights } = need;
    throw new SobreError(
      "UnauthorizedAccess",
      entity === undefined
        ? "The connection has no token. Put one first."
        : `No token grants ${rights.join(" or ")} on '${entity}'. Put one first.`,
    );
  }

  /** Whether there is a grant for each of the needs. */
  allow(needs: Needs): boolean {
    return needs.every((need) => need === undefined || this.#find(need) !== undefined);
  }

  /** Whether there is a valid grant. */
  get hasAny(): boolean {
    const now = Date.now();
    return this.#grants.some(({ expiresAt }) => expiresAt > now);
  }

  /** The holder of a link that a grant of this owner opened: one object for all links with the same needs. */
  holder(owner: string, needs: Needs): LinkHolder {
    const last = this.#last;
    if (last?.owner !== owner || !isSame(last.needs, needs)) this.#last = { owner, grants: this, needs };
    return this.#last ?? { owner, grants: this, needs };
  }

  /** Keeps a link attached for as long as there is a grant for each of its needs. */
  watch(link: SendingLink | ReceivingLink, { needs }: LinkHolder): void {
    this.#links.set(link, needs);
  }

  /** The links to an entity or one of its sub-queues; transfers go to whatever has the name when they arrive. */
  *linksTo(address: string): Generator<SendingLink | ReceivingLink> {
    const { key } = parseAddress(address);
    for (const [link, [{ entity }]] of this.#links)
      if (entity !== undefined && parseAddress(entity).key === key) yield link;
  }

  /** Refuses or detaches a link with an error. */
  end(link: SendingLink | ReceivingLink, error: WireError): void {
    this.#links.delete(link);
    if (link.state === "over" || link.state === "detaching") return;
    link.refuse(error);
    link.detach(error);
    link.events?.detached(error);
  }

  /** The link was refused, or is over. */
  forget(link: SendingLink | ReceivingLink): void {
    this.#links.delete(link);
  }

  /** Detaches links whose grants have expired; called about once a second. */
  check(): void {
    const now = Date.now();
    if (now < this.#firstEnd) return;
    this.#grants = this.#grants.filter(({ expiresAt }) => expiresAt > now);
    this.#firstEnd = Math.min(Infinity, ...this.#grants.map(({ expiresAt }) => expiresAt));
    for (const [link, needs] of this.#links) {
      const isOver = link.state === "over" || link.state === "detaching";
      if (isOver || !this.allow(needs)) this.end(link, expired);
    }
  }

  /** Newer ones are checked first, so that a renewed one is found quickly. */
  #add(grant: Grant): void {
    this.#grants = [grant, ...this.#grants.slice(0, maxGrants - 1)];
    this.#firstEnd = Math.min(this.#firstEnd, grant.expiresAt);
  }

  #find({ entity, rights }: Need): Grant | undefined {
    if (entity === undefined) return this.#grants.find(({ expiresAt }) => expiresAt > Date.now());
    return this.#grants.find((grant) => rights.some((right) => allows(grant, entity, right)));
  }
}

const isSame = (some: Needs, others: Needs): boolean =>
  some.length === others.length && some.every((need, index) => isEqual(need, others[index]));

const isEqual = (one: Need | undefined, other: Need | undefined): boolean =>
  one?.entity === other?.entity && one?.rights === other?.rights;
