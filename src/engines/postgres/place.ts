import { encodeMessage } from "../../amqp/message/encode-message.ts";
import { kept } from "../../amqp/message/kept-envelope.ts";
import type { Session } from "./database.ts";
import { hasSessions, isPartitioned, type Lane, queueOf } from "./entities.ts";
import { type Passed, type Placement, states } from "./placement.ts";
import { bigintOf } from "./rows.ts";

/** Bits of a sequence number below its partition. */
const partitionShift = 48;

/** The database sequence for the numbers of a queue, or of one of its partitions. */
export const numbersOf = (schema: string, queue: number, partition?: number): string =>
  `${schema}."numbers_${queue}${partition === undefined ? "" : `_${partition}`}"`;

const sequenceOf = (schema: string, lane: Lane, partition: number): string =>
  numbersOf(schema, lane.queue, isPartitioned(lane) ? partition : undefined);

/** A message's position and sequence number. */
export interface Placed {
  /** Its position in delivery order. */
  readonly seq: bigint;
  readonly number: bigint;
}

/** Consumes sequence numbers without storing messages. */
export async function giveNumbers(
  session: Session,
  schema: string,
  passed: readonly Passed[],
): Promise<readonly bigint[]> {
  if (passed.length === 0) return [];
  const rows = await session.query(
    `select (partition << ${partitionShift}) | nextval(sequence::regclass) as number
     from unnest($1::text[], $2::bigint[]) with ordinality as p(sequence, partition, place)`,
    [
      passed.map(({ lane, partition }) => sequenceOf(schema, lane, partition)),
      passed.map(({ partition }) => partition),
    ],
  );
  return rows.map((row) => bigintOf(row, "number"));
}

/**
 * The statement that inserts messages into queues, provided that the namespace still has the version by which they were routed.
 *
 * The row of a session that is already on offer is only kept from being withdrawn until the commit: its holder can
 * still change it, and other senders need not wait.
 */
function statement(schema: string, withSessions: boolean): string {
  return `with guard as materialized (select 1 from ${schema}.namespace where version = $1),
    passed as materialized (
      select place, (partition << ${partitionShift}) | nextval(sequence::regclass) as number
      from guard, unnest($2::text[], $3::bigint[]) with ordinality as p(sequence, partition, place)
    ),
    given as materialized (
      select g.*, coalesce(g.own, (g.partition << ${partitionShift}) | nextval(g.sequence::regclass)) as number
      from guard, unnest(
        $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[],
        $12::bigint[], $13::bigint[], $14::integer[], $15::integer[], $16::integer[], $17::text[], $18::text[], $19::text[],
        $20::text[], $21::double precision[], $22::text[], $23::bytea[]
      ) with ordinality as g(
        queue, sequence, positions, partition, own, first, first_passed, enqueued_at,
        expires_at, due, count, size, state, session, reason, description,
        source, time_to_live, body_kind, message, place
      )
    ),
    placed as materialized (
      select given.*, coalesce(nextval(positions::regclass), given.number) as seq, coalesce(first, passed.number, given.number) as first_number
      from given left join passed on passed.place = given.first_passed
    ),
    ${
      withSessions
        ? `sessions as materialized (
      select queue, session as id, min(seq) as first from placed where session is not null and state = 0 group by queue, session
    ),
    offered as materialized (
      select s.queue, s.id from sessions join ${schema}.session s on s.queue = sessions.queue and s.id = sessions.id
      where s.ready is not null order by s.queue, s.id for key share of s
    ),
    ready as (
      insert into ${schema}.session (queue, id, ready)
      select queue, id, first from sessions
      where not exists (select 1 from offered o where o.queue = sessions.queue and o.id = sessions.id) order by queue, id
      on conflict (queue, id) do update set ready = excluded.ready where session.ready is null
    ),`
        : ""
    }
    bodies as (
      insert into ${schema}.body (queue, seq, number, enqueued_number, enqueued_at, expires_at, reason, description, source, time_to_live, body_kind, message)
      select queue, seq, number, first_number, enqueued_at, expires_at, reason, description, source, time_to_live, body_kind, message from placed
    ),
    deliveries as (
      insert into ${schema}.delivery (queue, seq, due, count, size, state, session)
      select queue, seq, due, count, size, state, session from placed
    )
    select placed.number, placed.seq, placed.place from guard left join placed on true order by placed.place`;
}

/** Inserts messages into their queues; `undefined` when the entities have changed since they were routed. */
export async function place(
  session: Session,
  schema: string,
  version: bigint,
  { placements, passed }: { readonly placements: readonly Placement[]; readonly passed: readonly Passed[] },
): Promise<readonly Placed[] | undefined> {
  const column = <T>(read: (placement: Placement) => T): readonly T[] => placements.map(read);
  const bodies = placements.map(({ envelope }) => kept(envelope));
  const sessions = column(({ lane, envelope }) =>
    hasSessions(lane) ? envelope.brokerProperties.sessionId : undefined,
  );
  const rows = await session.query(
    statement(
      schema,
      sessions.some((id) => id !== undefined),
    ),
    [
      version,
      passed.map(({ lane, partition }) => sequenceOf(schema, lane, partition)),
      passed.map(({ partition }) => partition),
      column(({ lane }) => lane.queue),
      column(({ lane, partition }) => sequenceOf(schema, lane, partition)),
      column(({ lane }) => (isPartitioned(lane) ? numbersOf(schema, lane.queue) : null)),
      column(({ partition }) => partition),
      column(({ number }) => number ?? null),
      column(({ first }) => (typeof first === "bigint" ? first : null)),
      column(({ first }) => (typeof first === "object" ? passed.indexOf(first) + 1 : null)),
      column(({ enqueuedAt }) => enqueuedAt),
      column(({ expiresAt }) => (expiresAt === Infinity ? null : expiresAt)),
      column(({ scheduledFor, expiresAt }) => scheduledFor ?? (expiresAt === Infinity ? null : expiresAt)),
      column(({ deliveryCount }) => deliveryCount),
      column(({ size }) => size),
      column(({ scheduledFor }) => (scheduledFor === undefined ? states.active : states.scheduled)),
      sessions.map((id) => id ?? null),
      column(({ mark }) => mark?.reason ?? null),
      column(({ mark }) => mark?.description ?? null),
      column(({ mark }) => mark?.source ?? null),
      bodies.map(({ besides }) => besides.timeToLive ?? null),
      bodies.map(({ besides }) => besides.bodyKind ?? null),
      bodies.map(({ envelope }) => encodeMessage(envelope)),
    ],
  );
  if (rows.length === 0) return undefined;
  return placements.length === 0
    ? []
    : rows.map((row) => ({ number: bigintOf(row, "number"), seq: bigintOf(row, "seq") }));
}

/** The sequences of an entity. */
export function sequencesOf(
  schema: string,
  entity: number,
  { partitions, hasSubQueues }: { readonly partitions: number; readonly hasSubQueues: boolean },
): readonly string[] {
  const names = [numbersOf(schema, queueOf(entity, 0))];
  for (let partition = 0; partition < partitions; partition++)
    names.push(numbersOf(schema, queueOf(entity, 0), partition));
  if (hasSubQueues) for (const part of [1, 2] as const) names.push(numbersOf(schema, queueOf(entity, part)));
  return names;
}
