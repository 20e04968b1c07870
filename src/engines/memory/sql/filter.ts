import type { Subject } from "./effort.ts";
import { compilePredicate } from "./evaluation.ts";
import { type Parameters, Parser } from "./parser.ts";

/**
 * Reads a SQL filter; what is unknown for a message does not let it through.
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
