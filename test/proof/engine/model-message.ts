/** An event whose time comes; ties happen in the order in which they were set. */
export interface ModelDue {
  dueAt: number;
  setAs: number;
}

/** A message as the model sees it. */
export interface ModelMessage extends ModelDue {
  readonly id: string;
  readonly session: string | undefined;
  readonly timeToLive: number;
  /** Its place in the order of arrival. */
  readonly position: number;
  readonly number: number;
  readonly firstNumber: number;
  readonly enqueuedAt: number;
  readonly expiresAt: number;
  readonly reason: string | undefined;
  count: number;
  state: "ready" | "deferred" | "scheduled";
  /** 0 while it is not locked. */
  lock: number;
  /** The lock under which a transaction has settled it last. */
  settledUnder: number;
  lockedUntil: number;
  holder: number;
  overdue: boolean;
}

/** The hold on a session. */
export interface ModelSessionLock extends ModelDue {
  readonly id: string;
  readonly holder: number;
  held: boolean;
}

/** Somebody who waits: for messages, or without `max` for a session. */
export interface ModelWait extends ModelDue {
  readonly holder: number;
  readonly sessionLock: ModelSessionLock | undefined;
  readonly max: number | undefined;
  /** The session wanted, where one is waited for by its id. */
  readonly sessionId?: string | undefined;
  readonly deletes: boolean;
  readonly slot: Slot;
}

/** An outcome as the model has it and as the engine has it, both in comparable text. */
export interface Slot {
  expected: string | undefined;
  actual: string | undefined;
  /** The locks that the model gave out with it. */
  locks: readonly number[];
  sessionLock: ModelSessionLock | undefined;
  readonly command: string;
}

/** A message as a receiver or a browser sees it. */
export function told(message: ModelMessage, lockedUntil: number | undefined): string {
  const { id, number, firstNumber, enqueuedAt, expiresAt, count, state, reason } = message;
  const expiry = expiresAt === Infinity ? "-" : expiresAt;
  const shown = state === "ready" ? "active" : state;
  return `${id} ${number} ${firstNumber} ${enqueuedAt} ${expiry} ${count} ${shown} ${reason ?? "-"} ${lockedUntil ?? "-"}`;
}
