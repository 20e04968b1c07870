import { invalidOperation, noSessionInTime, sessionCannotBeLocked } from "../../core/engine/refusals.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

// Refusals of every broker, in the same words.

/** The refusal of a transaction that is over, or older than `maxTransactionAge`. */
export const transactionOver = (): SobreError =>
  invalidOperation(
    "The transaction has ended: it was committed, rolled back, or open for more than 2 minutes. Begin a new one.",
  );

/** The refusal of a transaction of another connection or engine. */
export const foreignTransaction = (): SobreError =>
  invalidOperation(
    "The transaction was begun on another connection or engine. Begin one on the connection that sends or settles.",
  );

/** The refusal to settle a message that an open transaction settles. */
export const settledInTransaction = (): SobreError =>
  invalidOperation(
    "The message is already settled in a transaction that is still open. Commit or roll back that one first.",
  );

/** The refusal to renew the lock of a message in a session. */
export const lockedBySession = (): SobreError =>
  invalidOperation("The session's lock covers its messages. Renew the session's lock instead.");

export const noSessions = (entity: string): SobreError => invalidOperation(`'${entity}' has no sessions.`);

/** The refusal to accept a session that was not free in time: the one named, or any. */
export const notAcceptedInTime = (sessionId: string | undefined, entity: string): SobreError =>
  sessionId === undefined ? noSessionInTime(entity) : sessionCannotBeLocked(sessionId, entity);

export const acceptAborted = (): SobreError =>
  new SobreError("Aborted", "The wait for a session was aborted. No session is held.");
