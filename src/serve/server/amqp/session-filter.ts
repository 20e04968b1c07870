import { typed } from "../../../core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../../core/values/typed.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { Terminus } from "../../../wire/amqp/connection/performative.ts";
import { looseText } from "../../../core/amqp-values/loose-value.ts";

/** The name of the filter for a session. */
export const sessionFilterName = "com.microsoft:session-filter";

/** The descriptor of the filter. */
const filterCode = 0x137000000cn;

/**
 * The session that a source's filter requests: an id, `null` for the next available one, `undefined` for none.
 *
 * @throws SobreError `InvalidArgument` for a filter that is neither a string nor null.
 */
export function sessionFilter(source: Terminus | undefined): string | null | undefined {
  const id = idIn(source);
  if (id === undefined) return undefined;
  if (id === null) return null;
  const text = looseText(id);
  if (text !== undefined) return text;
  throw new SobreError(
    "InvalidArgument",
    "The session filter must be a session id as a string, or null for any session.",
  );
}

/** Whether a source asks for one session by its id. */
export function namesSession(source: Terminus | undefined): boolean {
  return looseText(idIn(source)) !== undefined;
}

/** The id in a source's filter; some peers send a described value, others a plain one. */
function idIn(source: Terminus | undefined): AmqpValue | undefined {
  const value = source?.filter?.get(sessionFilterName);
  const parts = described(value);
  return parts === undefined ? value : parts.value;
}

/** The parts of a described value; `undefined` for a plain one. */
function described(
  value: AmqpValue | undefined,
): { readonly descriptor: AmqpValue; readonly value: AmqpValue } | undefined {
  if (!(value instanceof Typed) || value.type !== "described") return undefined;
  const content = value.value;
  return typeof content === "object" && "descriptor" in content && "value" in content ? content : undefined;
}

/** The source with a filter for the accepted session, described if the requested one is: clients read only the form that they send. */
export function withSession(source: Terminus, sessionId: string): Terminus {
  return { ...source, filter: isDescribed(source) ? describedFilter(sessionId) : plainFilter(sessionId) };
}

/** As much of the source of a link that waits for a session as {@link withSession} needs: a thousand may wait. */
export const waitingSource = (source: Terminus = { kind: "source" }): Terminus => ({
  kind: source.kind,
  address: source.address,
  filter: isDescribed(source) ? anyDescribed : undefined,
});

const isDescribed = (source: Terminus): boolean => described(source.filter?.get(sessionFilterName)) !== undefined;

const plainFilter = (sessionId: string): AmqpMap => new AmqpMap([[typed.symbol(sessionFilterName), sessionId]]);

const describedFilter = (sessionId: string | null): AmqpMap =>
  new AmqpMap([[typed.symbol(sessionFilterName), typed.described(typed.ulong(filterCode), sessionId)]]);

const anyDescribed = describedFilter(null);

/** A time in .NET ticks: tenths of microseconds since the year 1. */
export const ticksOf = (time: Date): bigint => BigInt(time.getTime()) * 10_000n + 621_355_968_000_000_000n;
