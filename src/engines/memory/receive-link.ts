import type { ReceiveMode } from "../../engine/index.ts";

/** The receiving end of a link, as a queue sees it. */
export interface ReceiveLink {
  readonly receiveMode: ReceiveMode;
  /** The connection that holds the locks taken through it. */
  readonly holder: object;
}
