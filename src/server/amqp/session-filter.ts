import { typed } from "../../values/typed-makers.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../values/typed.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import type { Terminus } from "../../amqp/connection/performative.ts";
import { textOf } from "../../amqp/values/loose-value.ts";

const name = "com.microsoft:session-filter";

/**
 * The session that a source's filter requests: an id, `null` for the next available one, `undefined` for none.
 *
 * @throws SobreError `InvalidArgument` for a filter that is neither a string nor null.
 */
export function sessionFilter(source: Terminus | undefined): string | null | undefined {
  const value = source?.filter?.get(name);
  if (value === undefined) return undefined;
  const id = plain(value);
  if (id === null) return null;
  const text = textOf(id);
  if (text !== undefined) return text;
  throw new SobreError(
    "InvalidArgument",
    "The session filter must be a session id as a string, or null for any session.",
  );
}

/** Whether a source asks for one session by its id. */
export function namesSession(source: Terminus | undefined): boolean {
  const value = source?.filter?.get(name);
  return value !== undefined && textOf(plain(value)) !== undefined;
}

/** Some peers send a described value, others a plain one. */
function plain(value: AmqpValue): AmqpValue {
  if (!(value instanceof Typed) || value.type !== "described") return value;
  const content = value.value;
  return typeof content === "object" && "descriptor" in content && "value" in content ? content.value : value;
}

/** The source with a filter for the accepted session. */
export function withSession(source: Terminus, sessionId: string): Terminus {
  return { ...source, filter: new AmqpMap([[typed.symbol(name), sessionId]]) };
}

/** A time in .NET ticks: tenths of microseconds since the year 1. */
export const ticksOf = (time: Date): bigint => BigInt(time.getTime()) * 10_000n + 621_355_968_000_000_000n;
