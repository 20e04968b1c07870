import type { Subject } from "./effort.ts";
import { compilePredicate } from "./evaluation.ts";
import { type Parameters, Parser } from "./parser.ts";

/**
 * Reads a SQL filter; a condition that is unknown for a message does not accept it.
 *
 * @throws SobreError `InvalidArgument` with the offset at which the expression cannot be read.
 */
export function compileSqlFilter(expression: string, parameters?: Parameters): (subject: Subject) => boolean {
  const test = compilePredicate(new Parser(expression, parameters).condition());
  const steps = expression.length;
  return (subject) => {
    subject.effort.spend(steps);
    return test(subject) === true;
  };
}
