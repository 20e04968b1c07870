import type { Engine } from "../../core/engine/engine.ts";
import { BrokerConnection } from "../policy/connection.ts";
import type { Holder } from "./bytes/handed-envelope.ts";
import { holderOf, lockSession, type MemoryVerbs, memoryVerbs } from "./memory-verbs.ts";
import type { StoredHome } from "./stored-home.ts";
import { StoredReceiver, StoredSessionReceiver, StoredTransaction } from "./stored-links.ts";

/** The verbs of a connection to a memory engine with a store: a verb is answered, and a message delivered, once it is durable. */
function storedVerbs(name: string, home: StoredHome, holder: Holder): MemoryVerbs {
  const memory = memoryVerbs(home, holder);
  return {
    ...memory,
    name,
    catchUp: () => home.catchUp(),
    confirm: (answer) => home.confirm(answer),

    send: (route, envelopes) => home.confirm(memory.send(home.currentRoute(route), envelopes)),
    sendIn: (transaction, route, envelopes) => memory.sendIn(transaction, home.currentRoute(route), envelopes),
    openReceiver: (queue, receiveMode, owner) => new StoredReceiver(home, queue, { receiveMode, holder }, owner),
    async acceptSession(queue, request, owner) {
      const link = await home.afterWait(() => lockSession(queue, request, holder));
      return new StoredSessionReceiver(home, queue, link, owner);
    },

    peek: (queue, options) => home.fill(memory.peek(queue, options)),
    receiveDeferred: (queue, numbers, options, owner) =>
      home.fill(memory.receiveDeferred(queue, numbers, options, owner)),
    settle: (queue, lockToken, settlement) => home.confirm(memory.settle(queue, lockToken, settlement)),

    begin: (onEnd) => new StoredTransaction(home, onEnd),
    connect: (options) => storedVerbs(name, home, holderOf(options)),
    release: (linksClosed) => (home.failed ? linksClosed : home.confirm(memory.release(linksClosed))),
  };
}

/** Opens the root connection to a memory engine with a store; closing it closes the store. */
export const storedConnection = (name: string, home: StoredHome): Engine =>
  new BrokerConnection(storedVerbs(name, home, holderOf()), () => home.end());
