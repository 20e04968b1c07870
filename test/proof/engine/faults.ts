/** A mistake to make on purpose: one place in a source file of the memory engine, and its replacement. */
export interface Fault {
  readonly name: string;
  /** Path below `src/engines/memory`. */
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
    "++message.deliveryCount >= this.policy",
    "++message.deliveryCount > this.policy",
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
    "const message = this.#firstReturned() ?? this.#first;",
    "const message = this.#firstReturned() ?? this.#last;",
  ),
  fault("redelivery at the end", "message-queue.ts", "else lane.giveBack(message);", "else lane.append(message);"),
  fault(
    "fresh messages before returned ones",
    "lane.ts",
    "this.#firstReturned() ?? this.#first;",
    "this.#first ?? this.#firstReturned();",
  ),
  fault(
    "returned messages in no order",
    "lane.ts",
    "if (above === undefined || above.position < message.position) break;",
    "break;",
  ),
  fault(
    "a lost wake-up",
    "message-queue.ts",
    "    this.#await(message, now);\n    lane.wake();",
    '    this.#await(message, now);\n    if (as === "fresh") lane.wake();',
  ),
  fault(
    "the last waiting receive is served first",
    "waiting-receives.ts",
    "    waiting.previous = this.#last;\n    if (this.#last === undefined) this.first = waiting;\n    else this.#last.next = waiting;\n    this.#last = waiting;",
    "    waiting.next = this.first;\n    if (this.first === undefined) this.#last = waiting;\n    else this.first.previous = waiting;\n    this.first = waiting;",
  ),
  fault(
    "an aborted wait goes on",
    "receiver.ts",
    "const abort = (): void => end([]);",
    "const abort = (): void => resolve([]);",
  ),
  fault("a wait never ends", "receiver.ts", "      timeline.schedule(waiting, until);\n", ""),
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
  fault(
    "a late timer decides",
    "timeline.ts",
    "if (this.#items.length > 0 && this.#time(0) <= now) this.#run(now);",
    "",
  ),
  fault(
    "expiry a millisecond late",
    "message-queue.ts",
    "this.timeline.schedule(message, message.expiresAt);",
    "this.timeline.schedule(message, message.expiresAt + 1);",
  ),
  fault(
    "locked messages expire",
    "message-queue.ts",
    'if (message.lock !== undefined) this.giveBack(message, "counted", now);\n    else if (message.state',
    'if (message.lock !== undefined && message.expiresAt > now) this.giveBack(message, "counted", now);\n    else if (message.state',
  ),
  fault(
    "expired messages vanish where they should be dead letters",
    "receivable-entity.ts",
    "if (!this.settings.deadLetteringOnMessageExpiration) return;",
    "if (this.settings.deadLetteringOnMessageExpiration) return;",
  ),
  fault(
    "the longer time to live counts",
    "receivable-entity.ts",
    "Math.min(envelope.brokerProperties.timeToLive ?? Infinity, defaultMessageTimeToLive)",
    "Math.max(envelope.brokerProperties.timeToLive ?? 0, defaultMessageTimeToLive)",
  ),
  fault(
    "dead letters lose their count",
    "receivable-entity.ts",
    "const { envelope, enqueuedAt, deliveryCount } = message;",
    "const { envelope, enqueuedAt } = message;\n      const deliveryCount = 0;",
  ),
  fault(
    "dead letters lose their first number",
    "receivable-entity.ts",
    "message.enqueuedSequenceNumber ?? this.messages.store.numberOf(message);\n    const target",
    "undefined;\n    const target",
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
    "intake.ts",
    "if (at > now) this.#owner",
    "if (at > now + 1000) this.#owner",
  ),
  fault(
    "a cancelled message comes all the same",
    "message-queue.ts",
    'for (const message of this.store.find(sequenceNumbers, "scheduled")) this.#remove(message);',
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
    "if (session.lock !== undefined) throw",
    "if (session.lock?.link === link) throw",
  ),
  fault(
    "closing a session counts",
    "session-receiver.ts",
    'this.#sessions.lose(this.#lock, "uncounted", now);',
    'this.#sessions.lose(this.#lock, "counted", now);',
  ),
  fault(
    "an expired session lock is not counted",
    "session-lock.ts",
    'lose(this, "counted", now)',
    'lose(this, "uncounted", now)',
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
    "      this.#expireAlone(message, now);\n      this.expireSession(session, now);",
    "      this.#expireAlone(message, now);",
  ),
  fault(
    "messages of an abandoned session expire",
    "message-queue.ts",
    "session.overdue.add(message);",
    "this.#expireAlone(message, now);",
  ),
  fault("a commit without its locks", "settlement.ts", "if (!holds()) throw lockLost(queue.policy.address);", ""),
  fault(
    "a rollback that sends",
    "transaction.ts",
    "for (const operation of this.#operations) operation.undo?.();",
    "for (const operation of this.#operations) operation.apply(this.#timeline.now());",
  ),
  fault(
    "a settlement before the commit",
    "settlement.ts",
    "if (message.lock !== undefined) message.lock.transaction = transaction;",
    "queue.complete(message);\n      void transaction;",
  ),
  fault("one hop too many", "namespace.ts", "if (hops > maxHops)", "if (hops > maxHops + 1)"),
  fault(
    "a filter that is unknown lets through",
    "sql/filter.ts",
    "test(envelope) === true",
    "test(envelope) !== false",
  ),
  fault(
    "equal times in any order",
    "timeline.ts",
    "(at === other && order < (this.#orders[index] ?? 0))",
    "(at === other && order > (this.#orders[index] ?? 0))",
  ),
  fault(
    "deleting takes locked messages",
    "message-queue.ts",
    'if (message.lock !== undefined || message.state === "scheduled"',
    'if (message.state === "scheduled"',
  ),
  fault(
    "an update leaves the locks",
    "receivable-entity.ts",
    "for (const queue of this.queues()) queue.release(undefined, now);",
    "",
  ),
  fault("ids without their type", "duplicates.ts", "return `s${id.length}:${id}`;", "return `n${id}`;"),
  fault("duplicates forgotten at once", "duplicates.ts", "this.#seen.set(key, now);\n    if", "if"),
  fault("filters let everything through", "topic-entity.ts", "if (!rule.matches(incoming.envelope)) continue;", ""),
  fault(
    "a session of an other connection",
    "session-rules.ts",
    "if (sessionLock?.link.holder !== link.holder)",
    "if (sessionLock === undefined)",
  ),
  fault(
    "the quota forgets dead letters",
    "message-store.ts",
    "this.#policy.meter.bytes += bytes;",
    "if (this.#policy.canDeadLetter) this.#policy.meter.bytes += bytes;",
  ),
];
