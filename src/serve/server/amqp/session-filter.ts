import { typed } from "../../../core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../../core/values/typed.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { Terminus } from "../../../wire/amqp/connection/performative.ts";
import { arrayOf, looseText } from "../../../core/amqp-values/loose-value.ts";

/** The name of the filter for a session. */
export const sessionFilterName = "com.microsoft:session-filter";

/** The name of the filter for a session that is not exclusive. */
export const sharedSessionFilterName = "com.microsoft:non-exclusive-session-filter";

/** The descriptors of the filters. */
const filterCode = 0x137000000cn;
const sharedFilterCode = 0x137000000en;

/** A session that is not exclusive, as a client asks for it. */
export interface SharedSessionRequest {
  /** `null`: the next available one. */
  readonly sessionId: string | null;
  /** The token of the session's holder, from whom it is taken over. */
  readonly token: string | undefined;
}

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

/**
 * The session that is not exclusive which a source's filter requests: a list of its id and a token; `undefined` for none.
 *
 * @throws SobreError `InvalidArgument` for a filter of another form, or for a token without an id.
 */
export function sharedSessionFilter(source: Terminus | undefined): SharedSessionRequest | undefined {
  const value = source?.filter?.get(sharedSessionFilterName);
  if (value === undefined) return undefined;
  const items = arrayOf(described(value)?.value ?? value);
  const [id = null, token = null] = items ?? [];
  const request = { sessionId: looseText(id) ?? null, token: looseText(token) };
  const isRead = (id === null || request.sessionId !== null) && (token === null || request.token !== undefined);
  if (items !== undefined && isRead && (request.token === undefined || request.sessionId !== null)) return request;
  throw new SobreError(
    "InvalidArgument",
    "The filter of a session that is not exclusive must be a list of a session id or null, and of a lock token or null.",
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

/** The source with a filter for a session that is not exclusive, and for the token that takes it over. */
export const withSharedSession = (source: Terminus, sessionId: string, token: string): Terminus => ({
  ...source,
  filter: new AmqpMap([
    [
      typed.symbol(sharedSessionFilterName),
      typed.described(typed.ulong(sharedFilterCode), [sessionId, typed.uuid(token)]),
    ],
  ]),
});

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
