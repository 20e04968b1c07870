import type { Engine } from "../../core/engine/engine.ts";
import type { SessionInspection } from "../../core/engine/inspection.ts";
import type { SessionDetail, SessionsAnswer } from "./api.ts";
import type { InspectorParts } from "./inspector-parts.ts";
import { rowOf } from "./message-facts.ts";

/** Sessions of one answer. */
const pageSize = 100;

/** Bytes of a state that are shown. */
const maxBytes = 4096;

/** How sessions are shown. */
export interface SessionOptions extends Pick<InspectorParts, "reading" | "redaction"> {
  /** Whether their states are shown: these are content, too. */
  readonly showsState: boolean;
}

/** A page of an entity's sessions: as the engine inspects them, or else those with messages. */
export async function listSessions(
  engine: Engine,
  entity: string,
  { skip, ...options }: SessionOptions & { readonly skip: number },
): Promise<SessionsAnswer> {
  const page = { skip, maxSessions: pageSize };
  const isInspected = engine.capabilities.inspect.level !== "refused";
  const found = isInspected
    ? await engine.inspection.sessions(entity, page)
    : (await engine.listSessions(entity, page)).map((sessionId) => ({ sessionId }));
  const sessions = await Array.fromAsync(found, async (session: (typeof found)[number]) => ({
    sessionId: session.sessionId,
    head: await headOf(engine, entity, session, options),
    detail: "messageCount" in session ? detailOf(session, options) : null,
  }));
  return { sessions, next: found.length < pageSize ? null : skip + pageSize };
}

type FoundSession = Pick<SessionInspection, "sessionId"> & Partial<SessionInspection>;

async function headOf(
  engine: Engine,
  entity: string,
  { sessionId, messageCount, firstSequenceNumber }: FoundSession,
  { reading, redaction }: SessionOptions,
): Promise<SessionsAnswer["sessions"][number]["head"]> {
  if (messageCount === 0) return null;
  // By number where it is known: engines may look through all messages for those of a session.
  const where = firstSequenceNumber === undefined ? { sessionId } : { fromSequenceNumber: firstSequenceNumber };
  const [head] = await engine.peek(entity, { maxMessages: 1, ...where });
  if (head === undefined || head.envelope.brokerProperties.sessionId !== sessionId) return null;
  return rowOf(head, await reading.read(head.envelope), redaction);
}

function detailOf(session: SessionInspection, { showsState }: SessionOptions): SessionDetail {
  const { holder, lockedUntilUtc, state, stateSetAtUtc, messageCount } = session;
  return {
    holder: holder ?? null,
    lockedUntilUtc: lockedUntilUtc?.toISOString() ?? null,
    messageCount,
    stateSizeInBytes: state?.byteLength ?? null,
    stateSetAtUtc: stateSetAtUtc?.toISOString() ?? null,
    state: state === undefined || !showsState ? null : textOfState(state),
  };
}

/** Its text where it is UTF-8, or else its bytes in hex. */
function textOfState(state: Uint8Array): string {
  const shown = state.subarray(0, maxBytes);
  const rest = state.byteLength > maxBytes ? ` … ${state.byteLength - maxBytes} bytes more` : "";
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(shown, { stream: rest !== "" });
    return `${text}${rest}`;
  } catch {
    return `${Buffer.from(shown).toString("hex")}${rest}`;
  }
}
