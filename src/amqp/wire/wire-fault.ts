import type { AmqpMap } from "../../envelope/index.ts";
import { cut } from "../../errors/cut.ts";
import { errorTraits, SobreError } from "../../errors/index.ts";

/** The error of a detach, end, close or rejected delivery (AMQP 1.0 part 2.8.14). */
export interface WireError {
  /** A symbol, as `amqp:not-found`. */
  readonly condition: string;
  readonly description?: string | undefined;
  readonly info?: AmqpMap | undefined;
}

/** What ends a connection or a session because its peer broke the protocol. */
export class WireFault extends Error {
  readonly condition: string;
  /** Whether the session alone ends; otherwise the connection does. */
  readonly scope: "connection" | "session";

  constructor(condition: string, message: string, scope: "connection" | "session" = "connection") {
    super(message);
    this.condition = condition;
    this.scope = scope;
  }
}

/** The longest description that is sent: a frame of the smallest size holds it. */
const longestDescription = 400;

/** What a peer is told about an error. */
export function wireErrorOf(error: unknown): WireError {
  if (error instanceof WireFault)
    return { condition: error.condition, description: cut(error.message, longestDescription) };
  if (error instanceof SobreError)
    return { condition: errorTraits(error.code).amqpCondition, description: cut(error.message, longestDescription) };
  return { condition: "amqp:internal-error", description: "The server failed. Its log tells more." };
}
