import { checkInspection, type EngineInspection, type SessionInspection } from "../../core/engine/inspection.ts";
import { invalidOperation } from "../../core/engine/refusals.ts";
import { numberColumn } from "./browse.ts";
import { hasSessions, type Lane } from "./entities.ts";
import { bigintOf, maybeBigint, maybeBytes, maybeNumber, maybeText, numberOf, type Row, textOf } from "./rows.ts";
import type { Store } from "./store.ts";

/** Describes the queues of a namespace; `laneOf` throws once the connection is closed. */
export function postgresInspection(store: Store, laneOf: (entity: string) => Promise<Lane>): EngineInspection {
  const { database, schema } = store;
  return {
    async counts(entity) {
      const { queue } = await laneOf(entity);
      const [row = {}] = await database.query(
        `select count(*) filter (where d.state = 0) as active, count(*) filter (where d.state = 1) as deferred,
           count(*) filter (where d.state = 2) as scheduled,
           count(*) filter (where d.token is not null and coalesce(s.locked_until, d.locked_until) > $2) as locked,
           (select b.enqueued_at from ${schema}.body b join ${schema}.delivery o on o.queue = b.queue and o.seq = b.seq
            where b.queue = $1 and o.state < 2 order by b.seq limit 1) as oldest
         from ${schema}.delivery d left join ${schema}.session s on s.queue = d.queue and s.id = d.session
         where d.queue = $1`,
        [queue, store.now()],
      );
      return {
        active: numberOf(row, "active"),
        deferred: numberOf(row, "deferred"),
        scheduled: numberOf(row, "scheduled"),
        locked: numberOf(row, "locked"),
        oldestEnqueuedTimeUtc: dateOf(row, "oldest"),
      };
    },
    async sessions(entity, options = {}) {
      const lane = await laneOf(entity);
      checkInspection.sessions(options);
      if (!hasSessions(lane)) throw invalidOperation(`'${entity}' has no sessions.`);
      const { skip = 0, maxSessions = 100 } = options;
      const now = store.now();
      const rows = await database.query(
        `select s.*, m.messages, m.first from ${schema}.session s cross join lateral (
           select count(*) as messages, min(${numberColumn(lane)}) as first
           from ${schema}.delivery d join ${schema}.body b on b.queue = d.queue and b.seq = d.seq
           where d.queue = $1 and d.session = s.id and d.state < 2
         ) m
         where s.queue = $1 and (m.messages > 0 or s.state is not null or (s.mark is not null and s.locked_until > $2))
         order by s.id collate "C" offset $3 limit $4`,
        [lane.queue, now, skip, maxSessions],
      );
      return rows.map((row) => sessionOf(row, now));
    },
    async deadLetters(entity, options) {
      const lane = await laneOf(entity);
      checkInspection.deadLetters(options);
      const { maxMessages, fromSequenceNumber = 0n } = options;
      const number = numberColumn(lane);
      const rows = await database.query(
        `with part as (
           select ${number} as number, b.reason, b.source from ${schema}.body b
           where b.queue = $1 and ${number} >= $2 order by ${number} limit $3
         )
         select reason, source, count(*) as count, min(number) as first, max(number) as last from part
         group by reason, source order by count desc, first`,
        [lane.queue, fromSequenceNumber, maxMessages],
      );
      const sums = rows.map((row) => ({
        reason: maybeText(row, "reason"),
        source: maybeText(row, "source"),
        count: numberOf(row, "count"),
        firstSequenceNumber: bigintOf(row, "first"),
      }));
      const isAll = sums.reduce((sum, { count }) => sum + count, 0) < maxMessages;
      const last = rows.reduce((greatest, row) => max(greatest, bigintOf(row, "last")), 0n);
      return { sums, next: isAll ? undefined : last + 1n };
    },
  };
}

function sessionOf(row: Row, now: number): SessionInspection {
  const isHeld = maybeBigint(row, "mark") !== undefined && numberOf(row, "locked_until") > now;
  return {
    sessionId: textOf(row, "id"),
    holder: isHeld ? (maybeText(row, "holder") ?? "") : undefined,
    lockedUntilUtc: isHeld ? dateOf(row, "locked_until") : undefined,
    state: maybeBytes(row, "state"),
    stateSetAtUtc: maybeBytes(row, "state") === undefined ? undefined : dateOf(row, "state_at"),
    messageCount: numberOf(row, "messages"),
    firstSequenceNumber: maybeBigint(row, "first"),
  };
}

function dateOf(row: Row, column: string): Date | undefined {
  const time = maybeNumber(row, column);
  return time === undefined ? undefined : new Date(time);
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
