import type { Engine, EngineSessionReceiver } from "../../../core/engine/engine.ts";
import { typed } from "../../../core/values/typed-makers.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { sessionKey } from "./link-session.ts";
import type { ManagementContext, ManagementOperation } from "./management-operation.ts";
import type { RequestArguments } from "./request-arguments.ts";

/** Checks that the request comes from the holder of the session, if that is not exclusive. @throws SobreError `SessionLockLost`. */
export function checkHolder(
  sessionId: string | undefined,
  { entity, sessions, shared, associatedLink }: ManagementContext,
): void {
  if (sessionId === undefined) return;
  shared.checkHolder(entity, sessionId, sessions.get(sessionKey(entity, sessionId)), associatedLink);
}

/** The connection to the engine that holds the locks of messages: that of a session that is not exclusive is its own. */
export async function lockingEngine(
  sessionId: string | undefined,
  { entity, engine, shared }: ManagementContext,
): Promise<Engine> {
  return sessionId !== undefined && shared.has(entity, sessionId) ? shared.engine() : engine;
}

/** The session of a request, which the connection must hold. @throws SobreError `SessionLockLost`. */
function held(given: RequestArguments, context: ManagementContext): EngineSessionReceiver {
  const sessionId = given.requiredText("session-id");
  checkHolder(sessionId, context);
  const { entity, sessions } = context;
  const receiver = sessions.get(sessionKey(entity, sessionId))?.receiver;
  if (receiver !== undefined) return receiver;
  throw new SobreError(
    "SessionLockLost",
    `This connection does not hold the session '${sessionId}' of '${entity}'. Accept it first.`,
  );
}

const renew: ManagementOperation = async (given, context) => ({
  expiration: await held(given, context).renewSessionLock(),
});

const setState: ManagementOperation = async (given, context) => {
  await held(given, context).setSessionState(given.binary("session-state"));
  return {};
};

const getState: ManagementOperation = async (given, context) => ({
  "session-state": (await held(given, context).getSessionState()) ?? null,
});

/** With this time or a later one, clients request the sessions that have messages or a state. */
const anyTime = Date.UTC(9999, 11, 31);

const list: ManagementOperation = async (given, { engine, entity }) => {
  const skip = given.place("skip") ?? 0;
  const since = given.time("last-updated-time");
  const updatedAfter = since === undefined || since.getTime() >= anyTime ? undefined : since;
  const ids = await engine.listSessions(entity, { updatedAfter, skip, maxSessions: given.count("top") });
  if (ids.length === 0) return undefined;
  return { skip: typed.int(skip + ids.length), "sessions-ids": typed.array("string", ids) };
};

/** Operations on sessions, by name. */
export const sessionOperations: Readonly<Record<string, ManagementOperation>> = {
  "renew-session-lock": renew,
  "set-session-state": setState,
  "get-session-state": getState,
  "get-message-sessions": list,
};
