import type { ReceivingLink } from "../../../wire/amqp/connection/receiving-link.ts";
import type { SendingLink } from "../../../wire/amqp/connection/sending-link.ts";
import type { WireError } from "../../../wire/amqp/connection/wire-fault.ts";
import type { Engine } from "../../../core/engine/engine.ts";
import type { Grants, Needs } from "./grants.ts";

type AnyLink = SendingLink | ReceivingLink;

const stolen: WireError = {
  condition: "amqp:link:stolen",
  description: "A link of the same name was attached by the same container, and has taken its place.",
};

/** Whose a link is: the owner of the grant that opened it, with the rights of the connection that it is on. */
export interface LinkHolder {
  readonly owner: string;
  readonly grants: Grants;
  /** The rights on which the link depends. */
  readonly needs: Needs;
}

interface NamedLink extends LinkHolder {
  readonly link: AnyLink;
}

/**
 * The links of one client by name and direction: the last one to ask for a name has it (AMQP 1.0 part 2.6.1).
 *
 * Ids of containers and names of links are not secret. So a link is taken only by its own connection, or by one of the
 * same owner that has the rights on which the link depends; others get links of that name besides.
 */
export class LinkNames {
  readonly #sending = new Map<string, readonly NamedLink[]>();
  readonly #receiving = new Map<string, readonly NamedLink[]>();

  /** Gives the link its name; a link that has it already is detached. */
  claim(link: AnyLink, holder: LinkHolder): void {
    if (link.state !== "asked") return;
    const links = this.#of(link);
    const others = (links.get(link.name) ?? []).filter((one) => one.link !== link);
    const taken = others.filter((one) => mayTake(holder, one));
    links.set(link.name, [...others.filter((one) => !taken.includes(one)), { ...holder, link }]);
    for (const { link: before } of taken) {
      if (before.state !== "asked" && before.state !== "attached") continue;
      before.refuse(stolen);
      before.detach(stolen);
      before.events?.detached(stolen);
    }
  }

  /** The link is over. */
  release(link: AnyLink): void {
    const links = this.#of(link);
    const left = (links.get(link.name) ?? []).filter((one) => one.link !== link);
    if (left.length > 0) links.set(link.name, left);
    else links.delete(link.name);
  }

  #of({ role }: AnyLink): Map<string, readonly NamedLink[]> {
    return role === "sender" ? this.#sending : this.#receiving;
  }
}

/** A link that depends on no entity, such as that to the coordinator, is taken by its own connection alone. */
const mayTake = ({ grants, owner }: LinkHolder, before: LinkHolder): boolean =>
  before.grants === grants ||
  (before.owner === owner && before.needs[0].entity !== undefined && grants.allow(before.needs));

/** How many connections a container has, and the names of their links. */
interface Container {
  readonly names: LinkNames;
  connections: number;
}

/** The containers that are connected to a server, by namespace and the id that they give themselves. */
export class Containers {
  readonly #byEngine = new WeakMap<Engine, Map<string, Container>>();

  /** Joins the connections of a container. @returns The names of its links, and what leaves it again. */
  join(engine: Engine, id: string): { readonly names: LinkNames; readonly leave: () => void } {
    const containers = this.#byEngine.get(engine) ?? new Map<string, Container>();
    this.#byEngine.set(engine, containers);
    const container = containers.get(id) ?? { names: new LinkNames(), connections: 0 };
    containers.set(id, container);
    container.connections++;
    const leave = (): void => {
      if (--container.connections === 0) containers.delete(id);
    };
    return { names: container.names, leave };
  }
}
