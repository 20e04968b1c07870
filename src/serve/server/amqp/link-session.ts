import type { EngineSessionReceiver } from "../../../core/engine/engine.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";

/** A session that a connection holds. */
export interface LinkSession {
  readonly receiver: EngineSessionReceiver;
  /** The name of the link that holds it. */
  readonly link: string;
  /** Ends the link with this error. */
  readonly end: (error: SobreError) => void;
}

/** The key of a session of an entity. */
export const sessionKey = (entity: string, sessionId: string): string => `${entity.toLowerCase()}\n${sessionId}`;

/** Ends the links of sessions whose lock has ended: one that is not receiving would not notice. */
export function endLostSessions(sessions: ReadonlyMap<string, LinkSession>, now: number): void {
  for (const { receiver, end } of sessions.values()) {
    if (receiver.sessionLockedUntilUtc().getTime() > now) continue;
    // The engine's clock decides.
    receiver.getSessionState().catch((error: unknown) => {
      if (error instanceof SobreError && error.code === "SessionLockLost") end(error);
    });
  }
}
