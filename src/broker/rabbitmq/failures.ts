import { entityNotFound, invalidOperation } from "../../core/engine/refusals.ts";
import type { ErrorCode } from "../../core/errors/codes.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

/** The reply code of an error of the broker (AMQP 0-9-1 section 1.2); `undefined` for any other. */
function replyCode(error: Error): number | undefined {
  const code: unknown = Reflect.get(error, "code");
  if (typeof code === "number") return code;
  const [, inText] = /\b(\d{3}) \(?[A-Z]+[-_][A-Z-_]+/.exec(error.message) ?? [];
  return inText === undefined ? undefined : Number(inText);
}

/** The broker's own words: they name entities and arguments, never a payload. */
const wordsOf = (error: Error): string => (/"([^]*)"/.exec(error.message)?.[1] ?? error.message).replace(/\.$/, "");

const failed = (code: ErrorCode, text: string, cause: Error): SobreError => new SobreError(code, text, { cause });

const noVirtualHost = (what: string, cause: Error): SobreError =>
  failed(
    "InvalidOperation",
    `${what} was refused by RabbitMQ: the virtual host is missing, or the user may not use it. Check the end of the URL.`,
    cause,
  );

/**
 * A failure of the driver or the broker as a `SobreError`.
 *
 * @param what What was done, as the beginning of a sentence, e.g. `Sending to 'orders'`.
 * @param entity The entity concerned, if there is one.
 */
export function brokerFailure(error: unknown, what: string, entity?: string): SobreError {
  if (error instanceof SobreError) return error;
  if (!(error instanceof Error)) return SobreError.from(error);
  const words = wordsOf(error);
  // While a node starts, its queues are not there yet.
  if (/is down or inaccessible/.test(words))
    return failed("ServiceBusy", `${what} failed, since RabbitMQ is still starting: ${words}. Retry later.`, error);
  // The driver does not say why a virtual host was not opened.
  if (/ConnectionOpenOk/.test(error.message)) return noVirtualHost(what, error);
  switch (replyCode(error)) {
    case 403:
      return failed(
        "UnauthorizedAccess",
        `${what} was refused by RabbitMQ: ${words}. Check the user's name, password and permissions on the virtual host.`,
        error,
      );
    case 404:
      return entity === undefined
        ? failed("MessagingEntityNotFound", `${what} failed: ${words}.`, error)
        : entityNotFound(entity);
    case 405:
      return failed("InvalidOperation", `${what} failed: another connection has it for itself: ${words}.`, error);
    case 406:
      return invalidOperation(
        `${what} failed, since something of that name exists with other arguments: ${words}. Delete it, or choose another prefix.`,
      );
    case 503:
      return failed(
        "UnsupportedCapability",
        `${what} failed: ${words}. Topics need the plugin rabbitmq_jms_topic_exchange: enable it with rabbitmq-plugins.`,
        error,
      );
    case 530:
      return noVirtualHost(what, error);
    default:
      return failed(
        "ServiceCommunicationProblem",
        `${what} failed, since the connection to RabbitMQ was lost or refused (${words}). Retry later.`,
        error,
      );
  }
}
