import type { ReceiveLink } from "./receive-link.ts";
import type { Session } from "./session.ts";
import type { Due } from "./timeline.ts";

/** The exclusive hold of one link on a session; over for good once it is lost. */
export class SessionLock implements Due {
  dueIndex = -1;
  readonly session: Session;
  readonly link: ReceiveLink;
  /** What the tokens of its messages begin with, so that a late token tells which lock it belonged to. */
  readonly mark: string = crypto.randomUUID().slice(0, 8);
  /** Milliseconds since 1970. */
  until = 0;

  constructor(session: Session, link: ReceiveLink) {
    this.session = session;
    this.link = link;
  }

  /** Whether it is still the lock of its session. */
  get held(): boolean {
    return this.session.lock === this;
  }

  due(now: number): void {
    this.session.table.lose(this, "counted", now);
  }
}
