import { typed } from "../../../core/values/typed-makers.ts";
import { AmqpMap } from "../../../core/values/typed.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { AmqpMessage } from "../../../wire/amqp/message/amqp-message.ts";
import type { MessageInit } from "../../../wire/amqp/message/write-message.ts";
import type { Connection } from "../../../wire/amqp/connection/connection.ts";
import type { Grant } from "../access.ts";
import { looseText } from "../../../core/amqp-values/loose-value.ts";

const maxTokenLength = 8192;

/** Answers a request to `$cbs`: accepts a token (AMQP Claims-based Security, working draft 5). */
export async function answerCbs(
  request: AmqpMessage,
  admit: (token: string) => Promise<Grant>,
  connection: Pick<Connection, "errorOf">,
): Promise<MessageInit> {
  const { applicationProperties, body } = request;
  if (looseText(applicationProperties?.get("operation")) !== "put-token")
    return answer(400, "Only the operation put-token is supported.");
  const token = body?.kind === "value" ? looseText(body.value) : undefined;
  if (token === undefined) return answer(400, "The body must be the token, as a string.");
  if (token.length > maxTokenLength) return answer(400, `A token may have at most ${maxTokenLength} characters.`);
  try {
    await admit(token);
  } catch (error) {
    if (error instanceof SobreError) return answer(401, error.message);
    return answer(500, connection.errorOf(error).description ?? "");
  }
  return answer(202, "Accepted");
}

function answer(status: number, description: string): MessageInit {
  return {
    applicationProperties: new AmqpMap([
      ["status-code", typed.int(status)],
      ["status-description", description],
    ]),
    body: { kind: "value", value: null },
  };
}
