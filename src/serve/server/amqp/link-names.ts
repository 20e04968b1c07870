import type { ReceivingLink } from "../../../wire/amqp/connection/receiving-link.ts";
import type { SendingLink } from "../../../wire/amqp/connection/sending-link.ts";
import type { WireError } from "../../../wire/amqp/connection/wire-fault.ts";
import type { Engine } from "../../../core/engine/engine.ts";
import type { Grant } from "../access.ts";

type AnyLink = SendingLink | ReceivingLink;

const stolen: WireError = {
  condition: "amqp:link:stolen",
  description: "A link of the same name was attached by the same container, and has taken its place.",
};

/** The links of one client by name and direction: the last one to ask for a name has it (AMQP 1.0 part 2.6.1). */
export class LinkNames {
  readonly #sending = new Map<string, AnyLink>();
  readonly #receiving = new Map<string, AnyLink>();

  /** Gives the link its name; a link that has it already is detached. */
  claim(link: AnyLink): void {
    if (link.state !== "asked") return;
    const links = this.#of(link);
    const before = links.get(link.name);
    links.set(link.name, link);
    if (before === undefined || before === link) return;
    if (before.state !== "asked" && before.state !== "attached") return;
    before.refuse(stolen);
    before.detach(stolen);
    before.events?.detached(stolen);
  }

  /** The link is over. */
  release(link: AnyLink): void {
    const links = this.#of(link);
    if (links.get(link.name) === link) links.delete(link.name);
  }

  #of({ role }: AnyLink): Map<string, AnyLink> {
    return role === "sender" ? this.#sending : this.#receiving;
  }
}

/** How many connections a container has, and the names of their links. */
interface Container {
  readonly names: LinkNames;
  connections: number;
}

/** The containers that are connected to a server, by namespace, key and the id that they give themselves. */
export class Containers {
  readonly #byEngine = new WeakMap<Engine, Map<string, Container>>();

  /** Joins the connections of a container. @returns The names of its links, and what leaves it again. */
  join({ engine, keyName = "" }: Grant, id: string): { readonly names: LinkNames; readonly leave: () => void } {
    const containers = this.#byEngine.get(engine) ?? new Map<string, Container>();
    this.#byEngine.set(engine, containers);
    // Ids are not secret: the holder of another key cannot take the links.
    const key = `${keyName}\n${id}`;
    const container = containers.get(key) ?? { names: new LinkNames(), connections: 0 };
    containers.set(key, container);
    container.connections++;
    const leave = (): void => {
      if (--container.connections === 0) containers.delete(key);
    };
    return { names: container.names, leave };
  }
}
