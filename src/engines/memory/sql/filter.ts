import type { Envelope } from "../../../envelope/envelope.ts";
import { compilePredicate } from "./evaluation.ts";
import { type Parameters, Parser } from "./parser.ts";

/**
 * Reads a SQL filter; what is unknown for a message does not let it through.
 *
 * @throws SobreError `InvalidArgument` with the offset at which the expression cannot be read.
 */
export function compileSqlFilter(expression: string, parameters?: Parameters): (envelope: Envelope) => boolean {
  const test = compilePredicate(new Parser(expression, parameters).condition());
  return (envelope) => test(envelope) === true;
}
