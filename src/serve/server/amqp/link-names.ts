import type { ReceivingLink } from "../../../wire/amqp/connection/receiving-link.ts";
import type { SendingLink } from "../../../wire/amqp/connection/sending-link.ts";
import type { WireError } from "../../../wire/amqp/connection/wire-fault.ts";
import type { Engine } from "../../../core/engine/engine.ts";
import type { LinkHolder } from "./grants.ts";

type AnyLink = SendingLink | ReceivingLink;

const stolen: WireError = {
  condition: "amqp:link:stolen",
  description: "A link of the same name was attached by the same container, and has taken its place.",
};

/** A link and its holder, before others of that name. Arrays would take several times the memory. */
interface NamedLink {
  readonly link: AnyLink;
  readonly holder: LinkHolder;
  readonly next: NamedLink | undefined;
}

/**
 * The links of one client by name and direction: the last one to ask for a name has it (AMQP 1.0 part 2.6.1).
 *
 * Ids of containers and names of links are not secret. So a link is taken only by its own connection, or by one of the
 * same owner that has the rights on which the link depends; others get links of that name besides.
 */
export class LinkNames {
  readonly #sending = new Map<string, NamedLink>();
  readonly #receiving = new Map<string, NamedLink>();

  /** Gives the link its name; a link that has it already is detached. */
  claim(link: AnyLink, holder: LinkHolder): void {
    if (link.state !== "asked") return;
    const links = this.#of(link);
    const before = links.get(link.name);
    let next: NamedLink | undefined;
    for (let one = before; one !== undefined; one = one.next)
      if (one.link !== link && !mayTake(holder, one.holder)) next = { ...one, next };
    links.set(link.name, { link, holder, next });
    for (let one = before; one !== undefined; one = one.next)
      if (one.link !== link && mayTake(holder, one.holder)) detach(one.link);
  }

  /** The link is over. */
  release(link: AnyLink): void {
    const links = this.#of(link);
    let left: NamedLink | undefined;
    for (let one = links.get(link.name); one !== undefined; one = one.next)
      if (one.link !== link) left = { ...one, next: left };
    if (left === undefined) links.delete(link.name);
    else links.set(link.name, left);
  }

  #of({ role }: AnyLink): Map<string, NamedLink> {
    return role === "sender" ? this.#sending : this.#receiving;
  }
}

function detach(link: AnyLink): void {
  if (link.state !== "asked" && link.state !== "attached") return;
  link.refuse(stolen);
  link.detach(stolen);
  link.events?.detached(stolen);
}

/** A link that depends on no entity, such as that to the coordinator, is taken by its own connection alone. */
const mayTake = ({ grants, owner }: LinkHolder, before: LinkHolder): boolean =>
  before.grants === grants ||
  (before.owner === owner && before.needs[0].entity !== undefined && grants.allow(before.needs));

/** How many connections a container has, and the names of their links. */
interface ContainerLinks {
  readonly names: LinkNames;
  connections: number;
}

/** The containers that are connected to a server, by namespace and the id that they give themselves. */
export class Containers {
  readonly #byEngine = new WeakMap<Engine, Map<string, ContainerLinks>>();

  /** Joins the connections of a container. @returns The names of its links, and what leaves it again. */
  join(engine: Engine, id: string): { readonly names: LinkNames; readonly leave: () => void } {
    const containers = this.#byEngine.get(engine) ?? new Map<string, ContainerLinks>();
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
