import { typed } from "../../values/typed-makers.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../values/typed.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import type { Terminus } from "../../amqp/connection/performative.ts";
import { textOf } from "../../amqp/values/loose-value.ts";

const name = "com.microsoft:session-filter";

/**
 * The session that a source's filter asks for: an id, `null` for the next available one, `undefined` for none.
 *
 * @throws SobreError `InvalidArgument` for a filter that is neither text nor null.
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
    "The filter of a session must be its id as a string, or null for any session.",
  );
}

/** Some peers describe the value, others do not. */
function plain(value: AmqpValue): AmqpValue {
  if (!(value instanceof Typed) || value.type !== "described") return value;
  const content = value.value;
  return typeof content === "object" && "descriptor" in content && "value" in content ? content.value : value;
}

/** The same source with the filter of the session that was granted. */
export function withSession(source: Terminus, sessionId: string): Terminus {
  return { ...source, filter: new AmqpMap([[typed.symbol(name), sessionId]]) };
}

/** .NET's ticks of a time: tenths of microseconds since the year 1. */
export const ticksOf = (time: Date): bigint => BigInt(time.getTime()) * 10_000n + 621_355_968_000_000_000n;
