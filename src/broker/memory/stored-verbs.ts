import type { Engine } from "../../core/engine/engine.ts";
import { sessionLockLost } from "../../core/engine/refusals.ts";
import { BrokerConnection } from "../policy/connection.ts";
import type { HoldingConnection } from "./bytes/handed-envelope.ts";
import { holderOf, type MemoryVerbs, memoryVerbs } from "./memory-verbs.ts";
import type { MemoryLink } from "./receiving.ts";
import type { StoredHome } from "./stored-home.ts";
import { StoredTransaction } from "./stored-transaction.ts";

/** The verbs of a connection to a memory engine with a store: a verb is answered, and a message delivered, once it is durable. */
function storedVerbs(name: string, home: StoredHome, holder: HoldingConnection): MemoryVerbs {
  const memory = memoryVerbs(home, holder);
  /** The link in the current engine: a session is lost with the engine that granted it. */
  const current = <Link extends MemoryLink>(link: Link): Link => {
    const { queue, sessionLock } = link;
    if (sessionLock === undefined) link.queue = home.currentQueue(queue);
    else if (!home.isCurrent(queue)) throw sessionLockLost(sessionLock.id, queue.address);
    return link;
  };
  return {
    ...memory,
    name,
    catchUp: () => home.catchUp(),
    confirm: (answer) => home.confirm(answer),

    send: (route, envelopes) => home.confirm(memory.send(home.currentRoute(route), envelopes)),
    sendIn: (transaction, route, envelopes) => memory.sendIn(transaction, home.currentRoute(route), envelopes),
    acceptSession: (queue, request) => home.afterWait(() => memory.acceptSession(queue, request)),
    receive: (link, options) => home.fill(home.afterWait(() => memory.receive(current(link), options))),
    releaseLink: (link) => home.runEnd(link.queue, () => memory.releaseLink(link)),
    renewSession: (link) => memory.renewSession(current(link)),
    sessionState: (link) => memory.sessionState(current(link)),
    setSessionState: (link, state) => memory.setSessionState(current(link), state),

    peek: (queue, options) => home.fill(memory.peek(queue, options)),
    receiveDeferred: (queue, numbers, options) => home.fill(memory.receiveDeferred(queue, numbers, options)),
    settle: (queue, lockToken, settlement) => home.confirm(memory.settle(queue, lockToken, settlement)),

    begin: (onEnd) => new StoredTransaction(home, onEnd),
    connect: (options) => storedVerbs(name, home, holderOf(options)),
    release: (linksClosed) => (home.failed ? linksClosed : home.confirm(memory.release(linksClosed))),
  };
}

/** Opens the root connection to a memory engine with a store; closing it closes the store. */
export const storedConnection = (name: string, home: StoredHome): Engine =>
  new BrokerConnection(storedVerbs(name, home, holderOf()), () => home.end());
