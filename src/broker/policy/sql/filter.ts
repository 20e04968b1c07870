import type { RuleSubject } from "./effort.ts";
import { compilePredicate } from "./evaluation.ts";
import { type Parameters, SqlParser } from "./parser.ts";

/**
 * Compiles a SQL filter; it does not accept a message for which its condition is unknown.
 *
 * @throws SobreError `InvalidArgument` with the offset of a syntax error.
 */
export function compileSqlFilter(expression: string, parameters?: Parameters): (subject: RuleSubject) => boolean {
  const test = compilePredicate(new SqlParser(expression, parameters).condition());
  const steps = expression.length;
  return (subject) => {
    subject.effort.spend(steps);
    return test(subject) === true;
  };
}
