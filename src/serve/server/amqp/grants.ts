import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { ReceivingLink } from "../../../wire/amqp/connection/receiving-link.ts";
import type { SendingLink } from "../../../wire/amqp/connection/sending-link.ts";
import type { WireError } from "../../../wire/amqp/connection/wire-fault.ts";
import { allows, type Grant, type Right } from "../access.ts";

/** Maximum number of grants per connection; a client has one per entity and direction. */
const most = 1000;

/** Rights on an entity, any of which is sufficient. */
interface Need {
  /** `undefined`: any entity. */
  readonly entity: string | undefined;
  readonly rights: readonly Right[];
}

const expired: WireError = {
  condition: "amqp:unauthorized-access",
  description: "The token of the link has expired. Put a new one and attach again, next time before it expires.",
};

/** The rights of a connection's client, and the links that depend on them. */
export class Grants {
  readonly #grants: Grant[] = [];
  readonly #links = new Map<SendingLink | ReceivingLink, Need>();
  /** When the first grant expires, in milliseconds since 1970. */
  #firstEnd = Infinity;
  #last: Need | undefined;

  /** Adds a grant; newer ones are checked first, so that a renewed one is found quickly. */
  add(grant: Grant): void {
    this.#grants.unshift(grant);
    if (this.#grants.length > most) this.#grants.pop();
    this.#firstEnd = Math.min(this.#firstEnd, grant.expiresAt);
  }

  /** A grant with one of the rights. @throws SobreError `UnauthorizedAccess`. */
  need(entity: string, rights: readonly Right[]): Grant {
    const grant = this.#find({ entity, rights });
    if (grant !== undefined) return grant;
    throw new SobreError("UnauthorizedAccess", `No token grants ${rights.join(" or ")} on '${entity}'. Put one first.`);
  }

  /** A grant for anything at all. @throws SobreError `UnauthorizedAccess`. */
  any(): Grant {
    const now = Date.now();
    const grant = this.#grants.find(({ expiresAt }) => expiresAt > now);
    if (grant !== undefined) return grant;
    throw new SobreError("UnauthorizedAccess", "The connection has no token. Put one first.");
  }

  /** Whether there is a valid grant. */
  get hasAny(): boolean {
    const now = Date.now();
    return this.#grants.some(({ expiresAt }) => expiresAt > now);
  }

  /** Keeps a link attached for as long as a grant has one of the rights. */
  watch(link: SendingLink | ReceivingLink, entity: string | undefined, rights: readonly Right[]): void {
    // Many links have the same need.
    if (this.#last === undefined || this.#last.entity !== entity || this.#last.rights !== rights)
      this.#last = { entity, rights };
    this.#links.set(link, this.#last);
  }

  /** The link was refused, or is over. */
  forget(link: SendingLink | ReceivingLink): void {
    this.#links.delete(link);
  }

  /** Detaches links whose grants have expired; called about once a second. */
  check(): void {
    const now = Date.now();
    if (now < this.#firstEnd) return;
    const valid = this.#grants.filter(({ expiresAt }) => expiresAt > now);
    this.#grants.splice(0, this.#grants.length, ...valid);
    this.#firstEnd = Math.min(Infinity, ...valid.map(({ expiresAt }) => expiresAt));
    for (const [link, need] of this.#links) {
      const isOver = link.state === "over" || link.state === "detaching";
      if (!isOver && this.#find(need) !== undefined) continue;
      this.#links.delete(link);
      if (isOver) continue;
      link.refuse(expired);
      link.detach(expired);
      link.events?.detached(expired);
    }
  }

  #find({ entity, rights }: Need): Grant | undefined {
    if (entity === undefined) return this.#grants.find(({ expiresAt }) => expiresAt > Date.now());
    return this.#grants.find((grant) => rights.some((right) => allows(grant, entity, right)));
  }
}
