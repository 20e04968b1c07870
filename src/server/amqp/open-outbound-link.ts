import type { Engine, EngineSessionReceiver } from "../../engine/engine.ts";
import type { ReceiveMode } from "../../engine/delivery.ts";
import { typed } from "../../values/typed-makers.ts";
import { AmqpMap, Typed } from "../../values/typed.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import type { SendingLink } from "../../amqp/connection/sending-link.ts";
import { OutboundLink } from "./outbound-link.ts";
import { sessionFilter, ticksOf, withSession } from "./session-filter.ts";
import type { Transactions } from "./transactions.ts";

/** The source of a receiving link. */
export interface ReceiveContext {
  readonly entity: string;
  readonly engine: Engine;
  readonly transactions: Transactions;
  /** The sessions that the connection holds, by {@link sessionKey}. */
  readonly sessions: Map<string, EngineSessionReceiver>;
}

/** How long a client waits for a session by default. */
const defaultSessionWait = 60_000;

/** The longest that a timer waits. */
const longestTimer = 2 ** 31 - 1;

/** The key of a session of an entity. */
export const sessionKey = (entity: string, sessionId: string): string => `${entity.toLowerCase()}\n${sessionId}`;

/** Opens the link of a receiving client. @throws SobreError as `openReceiver` and `acceptSession` do. */
export async function openOutboundLink(link: SendingLink, context: ReceiveContext): Promise<void> {
  const { remote } = link;
  const receiveMode: ReceiveMode = remote?.sndSettleMode === 1 ? "receiveAndDelete" : "peekLock";
  const wanted = sessionFilter(remote?.source);
  if (wanted !== undefined) return openSessionLink(link, context, receiveMode, wanted ?? undefined);
  const receiver = await context.engine.openReceiver(context.entity, { receiveMode });
  if (link.state !== "asked") {
    await receiver.close();
    return;
  }
  const end = new OutboundLink(link, { ...context, receiver, receiveMode });
  // Filters that are not applied are not echoed (AMQP 1.0 part 3.5.3).
  const source = remote?.source === undefined ? undefined : { ...remote.source, filter: undefined };
  link.open({ source, target: remote?.target }, end);
  // Not needed any more, and the links of a connection would hold much memory.
  link.remote = undefined;
}

async function openSessionLink(
  link: SendingLink,
  context: ReceiveContext,
  receiveMode: ReceiveMode,
  sessionId: string | undefined,
): Promise<void> {
  const { remote } = link;
  const { entity, engine, sessions } = context;
  const waiting = new AbortController();
  link.events = { flowed: () => undefined, disposed: () => undefined, detached: () => waiting.abort() };
  // As in the service, only the next available session is waited for.
  const maxWaitTime = sessionId === undefined ? (timeOutOf(remote?.properties) ?? defaultSessionWait) : 0;
  // The client waits in real time, whatever the broker's clock.
  const over = setTimeout(() => waiting.abort(), Math.min(maxWaitTime, longestTimer));
  const options = { receiveMode, sessionId, maxWaitTime, signal: waiting.signal };
  let receiver: EngineSessionReceiver;
  try {
    receiver = await engine.acceptSession(entity, options);
  } catch (error) {
    if (!waiting.signal.aborted) throw error;
    throw new SobreError("ServiceTimeout", `No session of '${entity}' became available in time. Retry later.`);
  } finally {
    clearTimeout(over);
  }
  if (link.state !== "asked") {
    await receiver.close();
    return;
  }
  const key = sessionKey(entity, receiver.sessionId);
  sessions.set(key, receiver);
  const closed = (): void => {
    if (sessions.get(key) === receiver) sessions.delete(key);
  };
  const end = new OutboundLink(link, { ...context, receiver, receiveMode, closed });
  const properties = new AmqpMap([
    [typed.symbol("com.microsoft:locked-until-utc"), ticksOf(receiver.sessionLockedUntilUtc())],
  ]);
  link.open(
    {
      source: withSession(remote?.source ?? { kind: "source" }, receiver.sessionId),
      target: remote?.target,
      properties,
    },
    end,
  );
}

function timeOutOf(properties: AmqpMap | undefined): number | undefined {
  const value = properties?.get("com.microsoft:timeout");
  const plain = value instanceof Typed ? value.value : value;
  return typeof plain === "number" || typeof plain === "bigint" ? Math.max(0, Number(plain)) : undefined;
}
