import type { Engine, EngineSessionReceiver } from "../../../core/engine/engine.ts";
import type { ReceiveMode } from "../../../core/engine/delivery.ts";
import { typed } from "../../../core/values/typed-makers.ts";
import { AmqpMap, Typed } from "../../../core/values/typed.ts";
import type { Terminus } from "../../../wire/amqp/connection/performative.ts";
import type { SendingLink } from "../../../wire/amqp/connection/sending-link.ts";
import { type LinkSession, sessionKey } from "./link-session.ts";
import { OutboundLink } from "./outbound-link.ts";
import {
  sessionFilter,
  sharedSessionFilter,
  type SharedSessionRequest,
  ticksOf,
  waitingSource,
  withSession,
  withSharedSession,
} from "./session-filter.ts";
import { type NamespaceSessions, SessionHold } from "./shared-sessions.ts";
import { SessionWaits } from "./session-waits.ts";
import type { Clock } from "../../../core/time/clock.ts";
import type { Transactions } from "./transactions.ts";

/** The source of a receiving link. */
export interface ReceiveContext {
  readonly entity: string;
  readonly engine: Engine;
  readonly transactions: Transactions;
  /** The sessions that the connection holds, by {@link sessionKey}. */
  readonly sessions: Map<string, LinkSession>;
  /** The sessions of the namespace that are not exclusive. */
  readonly shared: NamespaceSessions;
  /** The links of the connection that wait for sessions, by {@link sessionKey} of their receive mode. */
  readonly waits: Map<string, SessionWaits>;
  /** The broker's time. */
  readonly clock: Clock;
  /** Refuses a link that has waited. */
  readonly refuse: (link: SendingLink, error: unknown) => void;
}

/** How long a client waits for a session by default. */
const defaultSessionWait = 60_000;

/** Opens the link of a receiving client. @throws SobreError as `openReceiver` and `acceptSession` do. */
export async function openOutboundLink(link: SendingLink, context: ReceiveContext): Promise<void> {
  const { remote } = link;
  const receiveMode: ReceiveMode = remote?.sndSettleMode === 1 ? "receiveAndDelete" : "peekLock";
  const shared = sharedSessionFilter(remote?.source);
  if (shared !== undefined) return openShared(link, context, receiveMode, shared);
  const wanted = sessionFilter(remote?.source);
  if (wanted === null) return waitForSession(link, context, receiveMode);
  if (wanted !== undefined) return openSessionLink(link, context, receiveMode, wanted);
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

/** As in the service, only the next available session is waited for. */
async function openSessionLink(
  link: SendingLink,
  context: ReceiveContext,
  receiveMode: ReceiveMode,
  sessionId: string,
): Promise<void> {
  const receiver = await context.engine.acceptSession(context.entity, { receiveMode, sessionId, maxWaitTimeInMs: 0 });
  await openAccepted(link, context, receiveMode, receiver);
}

async function openAccepted(
  link: SendingLink,
  context: ReceiveContext,
  receiveMode: ReceiveMode,
  receiver: EngineSessionReceiver,
): Promise<void> {
  if (link.state === "asked") openSession(link, context, receiveMode, receiver);
  else await receiver.close();
}

async function openShared(
  link: SendingLink,
  context: ReceiveContext,
  receiveMode: ReceiveMode,
  { sessionId, token }: SharedSessionRequest,
): Promise<void> {
  const { entity, shared } = context;
  if (sessionId === null) {
    const engine = await shared.engine();
    if (link.state === "asked") waitForSession(link, { ...context, engine }, receiveMode, true);
    return;
  }
  const hold =
    token === undefined
      ? await shared.accept(entity, { receiveMode, sessionId, maxWaitTimeInMs: 0 })
      : await shared.takeOver(entity, sessionId, token);
  await openAccepted(link, context, receiveMode, hold);
}

function waitForSession(link: SendingLink, context: ReceiveContext, receiveMode: ReceiveMode, isShared = false): void {
  const { entity, engine, shared, waits, clock, refuse } = context;
  const { remote } = link;
  const key = sessionKey(entity, isShared ? `shared ${receiveMode}` : receiveMode);
  const waiting =
    waits.get(key) ??
    new SessionWaits({
      entity,
      engine,
      receiveMode,
      clock,
      granted: (one, receiver) =>
        openSession(one, context, receiveMode, isShared ? shared.hold(entity, receiver) : receiver),
      refused: refuse,
      idle: () => waits.delete(key),
    });
  waits.set(key, waiting);
  // A thousand links of a connection may wait, and nothing else of what they asked with is needed.
  if (remote !== undefined)
    link.remote = {
      ...remote,
      source: waitingSource(remote.source),
      target: compact(remote.target),
      properties: undefined,
    };
  waiting.add(link, timeOutOf(remote?.properties) ?? defaultSessionWait);
}

const compact = (terminus: Terminus | undefined): Terminus | undefined =>
  terminus === undefined ? undefined : { kind: terminus.kind, address: terminus.address };

function openSession(
  link: SendingLink,
  context: ReceiveContext,
  receiveMode: ReceiveMode,
  receiver: EngineSessionReceiver,
): void {
  const { entity, sessions, clock } = context;
  const { remote } = link;
  const key = sessionKey(entity, receiver.sessionId);
  const hold = receiver instanceof SessionHold ? receiver : undefined;
  const closed = (): void => {
    if (sessions.get(key)?.receiver === receiver) sessions.delete(key);
    if (link.session.connection.lost) hold?.orphan(clock);
  };
  const end = new OutboundLink(link, { ...context, receiver, receiveMode, closed });
  sessions.set(key, { receiver, link: link.name, end: (error) => end.end(error) });
  const properties = new AmqpMap([
    [typed.symbol("com.microsoft:locked-until-utc"), ticksOf(receiver.sessionLockedUntilUtc())],
  ]);
  if (hold !== undefined) hold.lost = (reason) => end.takenOver(reason);
  const asked = remote?.source ?? { kind: "source" };
  const source =
    hold === undefined
      ? withSession(asked, receiver.sessionId)
      : withSharedSession(asked, receiver.sessionId, hold.token);
  link.open({ source, target: remote?.target, properties }, end);
  link.remote = undefined;
}

function timeOutOf(properties: AmqpMap | undefined): number | undefined {
  const value = properties?.get("com.microsoft:timeout");
  const plain = value instanceof Typed ? value.value : value;
  return typeof plain === "number" || typeof plain === "bigint" ? Math.max(0, Number(plain)) : undefined;
}
