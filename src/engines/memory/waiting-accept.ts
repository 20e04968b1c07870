import type { SobreError } from "../../errors/sobre-error.ts";
import type { ReceiveLink } from "./receive-link.ts";
import type { SessionLock } from "./session-lock.ts";
import type { Due } from "./timeline.ts";

/** An `acceptSession` that waits for the next session. */
export interface WaitingAccept extends Due {
  readonly link: ReceiveLink;
  /** Ends the wait. */
  grant(lock: SessionLock): void;
  refuse(error: SobreError): void;
}
