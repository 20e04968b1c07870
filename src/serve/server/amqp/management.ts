import { typed } from "../../../core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue } from "../../../core/values/typed.ts";
import type { Transaction } from "../../../core/engine/engine.ts";
import { errorTraits } from "../../../core/errors/traits.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { AmqpMessage } from "../../../wire/amqp/message/amqp-message.ts";
import type { MessageInit } from "../../../wire/amqp/message/write-message.ts";
import type { ManagementContext, ManagementOperation } from "./management-operation.ts";
import { messageOperations } from "./message-operations.ts";
import { RequestArguments } from "./request-arguments.ts";
import { ruleOperations } from "./rule-operations.ts";
import { sessionOperations } from "./session-operations.ts";
import type { TransactionWork } from "./transaction-work.ts";
import { looseText } from "../../../core/amqp-values/loose-value.ts";

const prefix = "com.microsoft:";

/** Operations that require the right Send; the others require Listen. */
const sending: ReadonlySet<string> = new Set(["schedule-message", "cancel-scheduled-message"]);

/** Operations that can be part of a transaction. */
const transactional: ReadonlySet<string> = new Set(["schedule-message", "update-disposition"]);

const operations: ReadonlyMap<string, ManagementOperation> = new Map(
  Object.entries({ ...messageOperations, ...sessionOperations, ...ruleOperations }),
);

/** Answers a request of a `$management` node. */
export async function answerManagement(
  request: AmqpMessage,
  context: ManagementContext,
  work?: TransactionWork,
): Promise<MessageInit> {
  const name = looseText(request.applicationProperties?.get("operation")) ?? "";
  const operation = name.startsWith(prefix) ? operations.get(name.slice(prefix.length)) : undefined;
  const trackingId = looseText(request.applicationProperties?.get("com.microsoft:tracking-id"));
  const run = async (transaction?: Transaction): Promise<Readonly<Record<string, AmqpValue>> | undefined> => {
    if (operation === undefined)
      throw new SobreError("UnsupportedCapability", "The operation of the request is not supported.");
    context.need(sending.has(name.slice(prefix.length)) ? "Send" : "Listen");
    const { body } = request;
    const given = new RequestArguments(body?.kind === "value" ? body.value : undefined);
    if (transaction !== undefined && !transactional.has(name.slice(prefix.length)))
      throw new SobreError("InvalidOperation", `The operation ${name} cannot be part of a transaction.`);
    const associatedLink = looseText(request.applicationProperties?.get("associated-link-name"));
    return operation(given, { ...context, transaction, associatedLink });
  };
  try {
    const result = await (work === undefined ? run() : work.run(run));
    return result === undefined ? answer(204, "No content", {}, trackingId) : answer(200, "OK", result, trackingId);
  } catch (error) {
    return refusal(error, context, trackingId);
  }
}

function answer(
  status: number,
  description: string,
  body: Readonly<Record<string, AmqpValue>>,
  trackingId: string | undefined,
): MessageInit {
  return {
    applicationProperties: properties({
      statusCode: typed.int(status),
      statusDescription: description,
      "com.microsoft:tracking-id": trackingId,
    }),
    body: { kind: "value", value: new AmqpMap(Object.entries(body)) },
  };
}

function refusal(error: unknown, { connection }: ManagementContext, trackingId: string | undefined): MessageInit {
  const { condition, description = "" } = connection.errorOf(error, trackingId);
  const status = error instanceof SobreError ? errorTraits(error.code).httpStatus : 500;
  return {
    applicationProperties: properties({
      statusCode: typed.int(status),
      statusDescription: description,
      errorCondition: typed.symbol(condition),
      "com.microsoft:tracking-id": trackingId,
    }),
    body: { kind: "value", value: null },
  };
}

function properties(given: Readonly<Record<string, AmqpValue | undefined>>): AmqpMap {
  return new AmqpMap(
    Object.entries(given).flatMap(([name, value]): [string, AmqpValue][] =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}
