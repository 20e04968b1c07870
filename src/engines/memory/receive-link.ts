import type { ReceiveMode } from "../../engine/delivery.ts";
import type { SessionLock } from "./session-lock.ts";

/** The receiving end of a link, as a queue sees it. */
export interface ReceiveLink {
  readonly receiveMode: ReceiveMode;
  /** The connection that holds the locks taken through it. */
  readonly holder: object;
  /** The session that the link holds; set once by the link's own opening. */
  sessionLock?: SessionLock | undefined;
}
