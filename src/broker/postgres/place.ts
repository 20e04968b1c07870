import { encodeMessage } from "../../wire/amqp/message/encode-message.ts";
import { kept } from "../../wire/amqp/message/kept-envelope.ts";
import type { Arrivals } from "./arrivals.ts";
import type { DatabaseSession } from "./database.ts";
import { queueNumber, type TableQueue } from "./entities.ts";
import { type Passed, type Placement, states } from "./placement.ts";
import { bigintOf, maybeText } from "./rows.ts";

/** Bits of a sequence number below its partition. */
const partitionShift = 48;

/** The database sequence for the numbers of a queue, or of one of its partitions. */
export const numbersOf = (schema: string, queue: number, partition?: number): string =>
  `${schema}."numbers_${queue}${partition === undefined ? "" : `_${partition}`}"`;

const sequenceOf = (schema: string, queue: TableQueue, partition: number): string =>
  numbersOf(schema, queue.number, queue.isPartitioned ? partition : undefined);

/** Consumes sequence numbers without storing messages. */
export async function giveNumbers(
  session: DatabaseSession,
  schema: string,
  passed: readonly Passed[],
): Promise<readonly bigint[]> {
  if (passed.length === 0) return [];
  const rows = await session.query(
    `select (partition << ${partitionShift}) | nextval(sequence::regclass) as number
     from unnest($1::text[], $2::bigint[]) with ordinality as p(sequence, partition, place)`,
    [
      passed.map(({ queue, partition }) => sequenceOf(schema, queue, partition)),
      passed.map(({ partition }) => partition),
    ],
  );
  return rows.map((row) => bigintOf(row, "number"));
}

/** A fact of the messages to insert; facts that are the same for all of them are passed once. */
interface FactColumn {
  readonly name: string;
  readonly type: string;
  readonly values: readonly unknown[];
  /** Whether one parameter has the value of them all. */
  readonly isEqual: boolean;
}

const sessionOf = ({ queue, envelope }: Placement): string | undefined =>
  queue.requiresSession ? envelope.brokerProperties.sessionId : undefined;

/** No text of PostgreSQL has U+0000; the application properties of a dead letter keep it. */
const storable = (text: string | undefined): string | null => text?.replaceAll("\0", "\uFFFD") ?? null;

interface Columns {
  readonly columns: readonly FactColumn[];
  readonly bytes: Uint8Array;
  /** Whether any of the messages is in a session, or in a partitioned queue. */
  readonly hasSessions: boolean;
  readonly hasPartitions: boolean;
}

/** The facts of messages, with the place of each one's bytes in the bytes of them all. */
function columnsOf(schema: string, placements: readonly Placement[], passed: readonly Passed[]): Columns {
  const columns: FactColumn[] = [];
  const add = (name: string, type: string, values: readonly unknown[]): void => {
    // The first column's array says how many messages there are.
    columns.push({ name, type, values, isEqual: columns.length > 0 && areEqual(values) });
  };
  const column = (name: string, type: string, read: (placement: Placement, index: number) => unknown): void =>
    add(name, type, placements.map(read));
  const bodies = placements.map(({ envelope }) => kept(envelope));
  const messages = bodies.map(({ envelope }) => encodeMessage(envelope));
  column("queue", "bigint", ({ queue }) => queue.number);
  column("sequence", "text", ({ queue, partition }) => sequenceOf(schema, queue, partition));
  column("positions", "text", ({ queue }) => (queue.isPartitioned ? numbersOf(schema, queue.number) : null));
  column("partition", "bigint", ({ partition }) => partition);
  column("own", "bigint", ({ number }) => number ?? null);
  column("first", "bigint", ({ enqueuedSequenceNumber: first }) => (typeof first === "bigint" ? first : null));
  column("first_passed", "bigint", ({ enqueuedSequenceNumber: first }) =>
    typeof first === "object" ? passed.indexOf(first) + 1 : null,
  );
  column("enqueued_at", "bigint", ({ enqueuedAt }) => enqueuedAt);
  column("expires_at", "bigint", ({ expiresAt }) => (expiresAt === Infinity ? null : expiresAt));
  column("due", "bigint", ({ scheduledFor, expiresAt }) => scheduledFor ?? (expiresAt === Infinity ? null : expiresAt));
  column("count", "integer", ({ deliveryCount }) => deliveryCount);
  column("size", "integer", ({ size }) => size);
  column("state", "smallint", ({ scheduledFor }) => (scheduledFor === undefined ? states.active : states.scheduled));
  column("session", "text", (placement) => sessionOf(placement) ?? null);
  column("reason", "text", ({ deadLetter }) => storable(deadLetter?.reason));
  column("description", "text", ({ deadLetter }) => storable(deadLetter?.description));
  column("source", "text", ({ deadLetter }) => deadLetter?.source ?? null);
  column("time_to_live", "double precision", (_, index) => bodies[index]?.besides.timeToLive ?? null);
  column("body_kind", "text", (_, index) => bodies[index]?.besides.bodyKind ?? null);
  let next = 1;
  const starts = messages.map(({ byteLength }) => (next += byteLength) - byteLength);
  add("start", "integer", starts);
  column("length", "integer", (_, index) => messages[index]?.byteLength);
  return {
    columns,
    bytes: Buffer.concat(messages),
    hasSessions: placements.some((placement) => sessionOf(placement) !== undefined),
    hasPartitions: placements.some(({ queue }) => queue.isPartitioned),
  };
}

/** Parameters before those of the columns. */
const parametersBefore = 4;

const parameter = (index: number): string => `$${parametersBefore + 1 + index}`;

/**
 * The statement that inserts messages into queues, provided that the namespace still has the version by which they were routed.
 *
 * The row of a session that is already on offer is only kept from being withdrawn until the commit: its holder can
 * still change it, and other senders need not wait.
 */
function statement(schema: string, { columns, hasSessions: withSessions, hasPartitions }: Columns): string {
  const [equal, varying]: [string[], string[]] = [[], []];
  const names: string[] = [];
  for (const [index, { name, type, isEqual }] of columns.entries()) {
    if (isEqual) equal.push(`${parameter(index)}::${type} as ${name}`);
    else {
      varying.push(`${parameter(index)}::${type}[]`);
      names.push(name);
    }
  }
  return `with guard as materialized (select 1 from ${schema}.namespace where one and version = $1),
    passed as materialized (
      select place, (partition << ${partitionShift}) | nextval(sequence::regclass) as number
      from unnest($2::text[], $3::bigint[]) with ordinality as p(sequence, partition, place) where exists (select from guard)
    ),
    given as (
      select ${["g.*", ...equal].join(", ")} from unnest(${varying.join(", ")}) with ordinality as g(${names.join(", ")}, place)
      where exists (select from guard)
    ),
    numbered as materialized (
      select *, coalesce(own, (partition << ${partitionShift}) | nextval(sequence::regclass)) as number
      from given
    ),
    placed as materialized (
      select numbered.*, coalesce(nextval(positions::regclass), numbered.number) as seq, coalesce(first, passed.number, numbered.number) as first_number
      from numbered left join passed on passed.place = numbered.first_passed
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
      select queue, seq, number, first_number, enqueued_at, expires_at, reason, description, source, time_to_live, body_kind,
        substring($4::bytea from start for length) from placed
    ),
    deliveries as (
      insert into ${schema}.delivery (queue, seq, due, count, size, state, session)
      select queue, seq, due, count, size, state, session from placed
    )
    select (select string_agg(number::text, ' ' order by place) from placed) as numbers${
      hasPartitions ? ", (select string_agg(seq::text, ' ' order by place) from placed) as positions" : ""
    } from guard`;
}

const areEqual = (values: readonly unknown[]): boolean => values.every((value) => value === values[0]);

/**
 * Inserts messages into their queues and returns their numbers; `undefined` when the entities have changed since they were
 * routed. Adds them to `arrivals`.
 */
export async function place(
  session: DatabaseSession,
  schema: string,
  version: bigint,
  { placements, passed }: { readonly placements: readonly Placement[]; readonly passed: readonly Passed[] },
  arrivals: Arrivals,
): Promise<readonly bigint[] | undefined> {
  const given = columnsOf(schema, placements, passed);
  const [row] = await session.query(statement(schema, given), [
    version,
    passed.map(({ queue, partition }) => sequenceOf(schema, queue, partition)),
    passed.map(({ partition }) => partition),
    given.bytes,
    ...given.columns.map(({ values, isEqual }) => (isEqual ? (values[0] ?? null) : values)),
  ]);
  if (row === undefined) return undefined;
  const numbers = bigints(maybeText(row, "numbers"));
  const positions = given.hasPartitions ? bigints(maybeText(row, "positions")) : numbers;
  for (const [index, { queue, scheduledFor }] of placements.entries())
    arrivals.add(queue.number, scheduledFor === undefined ? positions[index] : undefined);
  return numbers;
}

const bigints = (text: string | undefined): readonly bigint[] => (text?.split(" ") ?? []).map(BigInt);

/** The sequences of an entity. */
export function sequencesOf(
  schema: string,
  entity: number,
  { partitions, hasSubQueues }: { readonly partitions: number; readonly hasSubQueues: boolean },
): readonly string[] {
  const names = [numbersOf(schema, queueNumber(entity, "messages"))];
  for (let partition = 0; partition < partitions; partition++)
    names.push(numbersOf(schema, queueNumber(entity, "messages"), partition));
  if (hasSubQueues)
    for (const part of ["deadLetters", "transferDeadLetters"] as const)
      names.push(numbersOf(schema, queueNumber(entity, part)));
  return names;
}
