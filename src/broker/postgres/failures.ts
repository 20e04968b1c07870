import type { ErrorCode } from "../../core/errors/codes.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** Meanings of PostgreSQL's errors, by SQLSTATE or its prefix. */
const meanings: readonly (readonly [state: string, code: ErrorCode, what: string])[] = [
  ["28", "UnauthorizedAccess", "refused the login. Check user and password"],
  ["42501", "UnauthorizedAccess", "refused a statement for missing rights. Grant them to the role"],
  ["3D000", "InvalidOperation", "has no database of this name. Create it, or check the connection string"],
  ["3F000", "InvalidOperation", "has no such schema. Run `sobre postgres migrate`"],
  ["42P01", "InvalidOperation", "lacks a table of the engine. Run `sobre postgres migrate`"],
  ["42703", "InvalidOperation", "has tables of another version. Run `sobre postgres migrate` with the newest release"],
  ["40", "ServiceBusy", "gave the statement up for others. Nothing was changed; try again"],
  ["55P03", "ServiceBusy", "did not get a lock in time. Nothing was changed; try again"],
  ["57014", "ServiceTimeout", "gave the statement up after its time. Nothing was changed; try again"],
  ["53300", "ServiceBusy", "has no connection left. Try again later"],
  ["53", "ServiceBusy", "has used up disk or memory. Make room, then try again"],
  ["57P", "ServiceCommunicationProblem", "is shutting down or starting. Try again"],
  ["08", "ServiceCommunicationProblem", "lost the connection. Try again"],
  ["25P01", "InvalidOperation", "has no transaction on this connection. Begin one on the client first"],
  ["25P02", "InvalidOperation", "has given the transaction up after an earlier error. Roll it back"],
  ["25006", "ServiceBusy", "is read-only. Try again when the primary is back"],
];

/**
 * Meanings of what PgBouncer says of its own, which has one SQLSTATE for all of it: it refuses settings, names and passwords for
 * good. Everything else is a trouble of the server or of the pool that ends by itself, such as `query_wait_timeout`.
 */
const poolerState = "08P01";
const poolerMeanings: readonly (readonly [text: RegExp, code: ErrorCode, what: string])[] = [
  [
    /unsupported startup parameter/i,
    "InvalidOperation",
    "refused the connection's settings. Behind a pooler, set transactionPooler",
  ],
  [
    /authentication failed|auth(?:_query|_file)? failed|no such user|role .* does not exist|password/i,
    "UnauthorizedAccess",
    "refused the login. Check user and password",
  ],
  [
    /no such database|database .* does not exist/i,
    "InvalidOperation",
    "has no database of this name. Create it, or check the connection string",
  ],
  [/^/, "ServiceCommunicationProblem", "is not reached by its pooler. Try again"],
];

/** Turns a database error into a `SobreError` whose cause is the driver's error; other errors are returned unchanged. */
export function databaseFailure(error: unknown): unknown {
  if (error instanceof SobreError || !(error instanceof Error)) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  // Socket error codes may look like a SQLSTATE (e.g. EPIPE); only errors from the server have a severity.
  if (code !== undefined && "severity" in error) return refusal(code, error);
  if (code !== undefined) return failure("ServiceCommunicationProblem", "cannot be reached. Try again", code, error);
  return /timeout|terminat|connection|closed|queryable/i.test(error.message)
    ? failure("ServiceCommunicationProblem", "lost the connection. Try again", undefined, error)
    : error;
}

/** Whether {@link databaseFailure} made the error. */
export const isOfDatabase = (error: SobreError): boolean => error.cause !== undefined;

/** Whether a statement used a sequence that was dropped meanwhile, along with its entity. Nothing was done then. */
export const isOfDropped = (error: unknown): boolean =>
  error instanceof SobreError &&
  error.cause instanceof Error &&
  "code" in error.cause &&
  (error.cause.code === "42P01" || error.cause.code === "XX000");

/**
 * Whether an attempt at the same row fails again: the database refuses its values (SQLSTATE classes 22 and 23), or its message
 * cannot be read.
 */
export function isOfRow(error: unknown): boolean {
  if (error instanceof SobreError) return isOfDatabase(error) ? isOfRow(error.cause) : !error.retryable;
  if (!(error instanceof Error) || !("severity" in error) || !("code" in error)) return false;
  return typeof error.code === "string" && /^2[23]/.test(error.code);
}

/** Whether the server only reads, as one does that was the primary before a failover: another connection may find the new one. */
export const isOfReadOnlyServer = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "25006";

function refusal(state: string, error: Error): SobreError {
  if (state === poolerState) {
    const [, poolerCode, told] = poolerMeanings.find(([text]) => text.test(error.message)) ?? [];
    if (poolerCode !== undefined && told !== undefined) return failure(poolerCode, told, state, error);
  }
  const [, code, what] = meanings.find(([beginning]) => state.startsWith(beginning)) ?? [];
  return code === undefined || what === undefined
    ? failure("GeneralError", "refused a statement of the engine. The cause says why", state, error)
    : failure(code, what, state, error);
}

function failure(code: ErrorCode, what: string, state: string | undefined, cause: Error): SobreError {
  const isOpen = code === "ServiceCommunicationProblem";
  return new SobreError(code, `PostgreSQL ${what}${state === undefined ? "" : ` (${state})`}.`, {
    cause,
    outcome: isOpen ? "unknown" : undefined,
  });
}
