/** A mistake to make on purpose: one place in a source file of the memory engine, and its replacement. */
export interface Fault {
  readonly name: string;
  /** Path below `src/broker/memory`, `src/broker/policy` or `src/core/engine`. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const fault = (name: string, file: string, find: string, replace: string): Fault => ({ name, file, find, replace });

/** Mistakes that a broker could have; each must be found. */
export const faults: readonly Fault[] = [
  fault(
    "one delivery too many",
    "message-queue.ts",
    "++message.deliveryCount >= this.max",
    "++message.deliveryCount > this.max",
  ),
  fault(
    "expiry of a lock is not counted",
    "message-queue.ts",
    'if (message.lock !== undefined) this.giveBack(message, "counted"',
    'if (message.lock !== undefined) this.giveBack(message, "uncounted"',
  ),
  fault(
    "abandoning is not counted",
    "message-queue.ts",
    'this.giveBack(message, "counted", now);\n  }\n\n  /** Sets',
    'this.giveBack(message, "uncounted", now);\n  }\n\n  /** Sets',
  ),
  fault("deferring is not counted", "message-queue.ts", "    message.deliveryCount++;\n", ""),
  fault(
    "closing a connection counts",
    "message-queue.ts",
    'this.giveBack(message, "uncounted", now);\n  }\n\n  /** Deletes',
    'this.giveBack(message, "counted", now);\n  }\n\n  /** Deletes',
  ),
  fault(
    "a stale token wins",
    "lock-table.ts",
    "return message?.lock?.token === token ? message : undefined;",
    "return message;",
  ),
  fault(
    "last in, first out",
    "lane.ts",
    "this.#returned?.first ?? this.#fresh.first;",
    "this.#returned?.first ?? this.#fresh.last;",
  ),
  fault("redelivery at the end", "message-queue.ts", "else place.giveBack(message);", "else place.append(message);"),
  fault(
    "fresh messages before returned ones",
    "lane.ts",
    "this.#returned?.first ?? this.#fresh.first;",
    "this.#fresh.first ?? this.#returned?.first;",
  ),
  fault(
    "returned messages in no order",
    "lane.ts",
    "this.#returned.add(message, message.position);",
    "this.#returned.add(message, 0);",
  ),
  fault(
    "a lost wake-up",
    "message-queue.ts",
    "    this.#await(message, now);\n    place.wake();",
    '    this.#await(message, now);\n    if (as === "fresh") place.wake();',
  ),
  fault(
    "the last waiting receive is served first",
    "waiting-receive.ts",
    "list.append(waiting);",
    "list.insert(waiting, undefined);",
  ),
  fault(
    "an aborted wait goes on",
    "waiting-receive.ts",
    "handleEvent(): void {\n    this.end([]);",
    "handleEvent(): void {\n    this.#resolve([]);",
  ),
  fault("a wait never ends", "waiting-receive.ts", "      timeline.schedule(waiting, until);\n", ""),
  fault(
    "renewing does not move the end",
    "message-queue.ts",
    "    this.timeline.schedule(message, until);\n    return until;",
    "    return until;",
  ),
  fault(
    "locks never end",
    "message-queue.ts",
    "if (sessionLock === undefined) this.timeline.schedule(message, until);",
    "if (sessionLock === undefined) this.timeline.cancel(message);",
  ),
  fault("a late timer decides", "timeline.ts", "if (this.#order.firstKey <= now && !this.#behind) this.#run(now);", ""),
  fault(
    "expiry a millisecond late",
    "message-queue.ts",
    "else if (message.expiresAt !== Infinity) this.timeline.schedule(message, message.expiresAt);",
    "else if (message.expiresAt !== Infinity) this.timeline.schedule(message, message.expiresAt + 1);",
  ),
  fault(
    "locked messages expire",
    "message-queue.ts",
    'if (message.lock !== undefined) this.giveBack(message, "counted", now);\n    else if (message.state',
    'if (message.lock !== undefined && message.expiresAt > now) this.giveBack(message, "counted", now);\n    else if (message.state',
  ),
  fault(
    "expired messages vanish where they should be dead letters",
    "message-queue.ts",
    "!entity.settings.deadLetteringOnMessageExpiration",
    "entity.settings.deadLetteringOnMessageExpiration",
  ),
  fault(
    "the longer time to live counts",
    "router.ts",
    "Math.min(timeToLive, longestTimeToLive(entity))",
    "Math.max(timeToLive === Infinity ? 0 : timeToLive, longestTimeToLive(entity))",
  ),
  fault(
    "dead letters lose their count",
    "router.ts",
    "const times = { enqueuedAt, expiresAt: Infinity, deliveryCount };",
    "const times = { enqueuedAt, expiresAt: Infinity, deliveryCount: deliveryCount * 0 };",
  ),
  fault(
    "dead letters lose their first number",
    "router.ts",
    "const times = { enqueuedAt, expiresAt: Infinity, deliveryCount };",
    "const times = { enqueuedAt, expiresAt: Infinity, deliveryCount };\n    incoming = { ...incoming, enqueuedSequenceNumber: undefined };",
  ),
  fault(
    "a duplicate renews the window",
    "duplicates.ts",
    "if (before !== undefined && before + this.#window() > now) return true;",
    "if (before !== undefined && before + this.#window() > now) {\n      this.#seen.set(key, now);\n      return true;\n    }",
  ),
  fault(
    "a sequence number twice",
    "sequence-log.ts",
    "  skip(): number {\n    return this.#next++;",
    "  skip(): number {\n    return this.#next;",
  ),
  fault(
    "what is scheduled within a second is delivered at once",
    "router.ts",
    "if (at > now) this.hold",
    "if (at > now + 1000) this.hold",
  ),
  fault(
    "a cancelled message comes all the same",
    "message-queue.ts",
    'for (const message of this.#find(sequenceNumbers, "scheduled")) this.remove(message);',
    'this.store.find(sequenceNumbers, "scheduled");',
  ),
  fault(
    "two receivers of one deferred message",
    "message-store.ts",
    "message?.state === state && message.lock === undefined && ",
    "message?.state === state && ",
  ),
  fault(
    "a session for two",
    "session-table.ts",
    "return session.lock === undefined ? this.#grant",
    "return session.lock?.holder !== holder ? this.#grant",
  ),
  fault(
    "closing a session counts",
    "session-receiver.ts",
    'this.#lock.session.table.lose(this.#lock, "uncounted", now);',
    'this.#lock.session.table.lose(this.#lock, "counted", now);',
  ),
  fault(
    "an expired session lock is not counted",
    "session.ts",
    'this.session.table.lose(this, "counted", now)',
    'this.session.table.lose(this, "uncounted", now)',
  ),
  fault(
    "a freed session is not offered",
    "session-table.ts",
    "waiting.refuse(refusal);\n    this.settle(session);",
    "waiting.refuse(refusal);",
  ),
  fault(
    "state dies with the messages",
    "session.ts",
    "this.messageCount === 0 && this.state === undefined && this.lock === undefined",
    "this.messageCount === 0 && this.lock === undefined",
  ),
  fault(
    "one expired message leaves its session alone",
    "message-queue.ts",
    "} else this.expireSession(session, now, message);",
    "} else this.#expireAlone(message, now);",
  ),
  fault(
    "messages of an abandoned session expire",
    "message-queue.ts",
    "session.overdue.add(message);",
    "this.#expireAlone(message, now);",
  ),
  fault("a commit without its locks", "settle-held.ts", "if (!holds()) throw lockLost(queue.address);", ""),
  fault(
    "a rollback that sends",
    "transaction.ts",
    "for (const operation of this.#operations) operation.undo?.();",
    "for (const operation of this.#operations) {\n      operation.undo?.();\n      operation.apply(this.#timeline.now());\n    }",
  ),
  fault(
    "a settlement before the commit",
    "settle-held.ts",
    "if (message.lock !== undefined) message.lock.transaction = transaction;",
    "queue.remove(message);\n      void transaction;",
  ),
  fault("one hop too many", "router.ts", "if (hops > maxHops)", "if (hops > maxHops + 1)"),
  fault("a filter that is unknown lets through", "sql/filter.ts", "test(subject) === true", "test(subject) !== false"),
  fault(
    "equal times in any order",
    "heap.ts",
    "order < (this.#orders[index] ?? 0)",
    "order > (this.#orders[index] ?? 0)",
  ),
  fault(
    "deleting takes locked messages",
    "message-queue.ts",
    'if (message.lock !== undefined || message.state === "scheduled"',
    'if (message.state === "scheduled"',
  ),
  fault(
    "an update leaves the locks",
    "namespace.ts",
    "for (const queue of entity.queues()) queue.release(undefined, now);",
    "",
  ),
  fault("ids without their type", "duplicate-key.ts", "return `s${id.length}:${id}`;", "return `n${id}`;"),
  fault("duplicates forgotten at once", "duplicates.ts", "    this.restore(key, now);\n", ""),
  fault("filters let everything through", "router.ts", "if (!rule.matches(subject)) continue;", ""),
  fault(
    "a session of an other connection",
    "memory-verbs.ts",
    "if (sessionLock?.holder !== link.holder)",
    "if (sessionLock === undefined)",
  ),
  fault(
    "the quota forgets dead letters",
    "message-store.ts",
    "this.#queue.entity.meter.weigh(bytes, more);",
    'if (this.#queue.part === "messages") this.#queue.entity.meter.weigh(bytes, more);',
  ),
  fault(
    "a topic's time to live has no effect",
    "entities.ts",
    "Math.min(entity.settings.defaultMessageTimeToLive, entity.topic.settings.defaultMessageTimeToLive)",
    "entity.settings.defaultMessageTimeToLive",
  ),
  fault(
    "a locked message past its time to live leaves its session alone",
    "message-queue.ts",
    "if (message.lock !== undefined && session !== undefined) this.expireSession(session, now);\n    else ",
    "",
  ),
  fault(
    "an expired session is dead-lettered in the wrong order",
    "message-queue.ts",
    "left.position - right.position))\n      this.#expireAlone",
    "right.position - left.position))\n      this.#expireAlone",
  ),
  fault(
    "a receiver shares the bytes of the broker",
    "bytes/handed-envelope.ts",
    "this.#payload = copyOfPayload(this.#stored);",
    "this.#payload = this.#stored.payload;",
  ),
  fault(
    "binary properties are shared",
    "bytes/handed-envelope.ts",
    "stored instanceof OwnEnvelope && !stored.hasBinaries",
    "stored instanceof OwnEnvelope",
  ),
  fault(
    "what is sent again shares the receiver's bytes",
    "bytes/handed-envelope.ts",
    "if (this.origin === undefined) return new OwnEnvelope(this);",
    "if (this.origin === undefined) return this;",
  ),
  fault(
    "a partition key differs from its session",
    "router.ts",
    "isReplaced && sessionId !== undefined",
    "false && isReplaced && sessionId !== undefined",
  ),
  fault(
    "unequal keys on a partitioned entity",
    "router.ts",
    "if (isKeyed && hasUnequalKeys(envelope)) throw unequalKeys(address);",
    "",
  ),
  fault(
    "a session that is wanted is not waited for",
    "accept-session.ts",
    "if (maxWaitTime === 0) throw",
    "if (maxWaitTime === 0 || sessionId !== undefined) throw",
  ),
  fault(
    "a broken connection releases its locks",
    "connection.ts",
    "await Promise.all(Array.from(this.#links, (link) => link.abort()));",
    "await this.#verbs.release(Promise.all(Array.from(this.#links, (link) => link.close())));",
  ),
  fault("a release counts", "settle-held.ts", '"uncounted"', '"counted"'),
  fault(
    "a purge stops at the end of a segment",
    "sequence-log.ts",
    "this.#inOrder.has(segment) ? segment.next : this.#segmentAfter((index + 1) * width)",
    "segment.next",
  ),
];
