import { matcherOf } from "../pattern-matcher.ts";
import type { FormatTests } from "../formats.ts";
import type { Formula } from "./formula.ts";
import { toNumber } from "./rational.ts";

/** A sentence, for reports, on why the texts of some literals are not decided. */
export function obstacleOf(members: readonly Formula[], formats: FormatTests): string | undefined {
  const reasons = members.flatMap((member): readonly string[] => {
    if (member.kind === "pattern" && matcherOf(member.source).automaton === undefined)
      return [`the pattern ${JSON.stringify(member.source)} cannot be run`];
    if (member.kind !== "format") return [];
    const name = JSON.stringify(member.name);
    if (formats.inner(member.name) === undefined) return [`which texts have the format ${name} is not known`];
    return [
      formats.policy === "either"
        ? `a validator may assert the format ${name} or not; formats "assertion" or "annotation" says which`
        : `validators differ on some texts of the format ${name}`,
    ];
  });
  return reasons.length === 0 ? undefined : `no text was decided, as ${Array.from(new Set(reasons)).join(", and ")}`;
}

/** The same for numbers: a fraction whose multiples differ by floating-point division. */
export function fractionOf(members: readonly Formula[]): string | undefined {
  const factors = members.flatMap((member) =>
    member.kind === "multiple" && (member.factor.denominator & (member.factor.denominator - 1n)) !== 0n
      ? [toNumber(member.factor)]
      : [],
  );
  if (factors.length === 0) return undefined;
  return `no number was decided, as validators that divide floating-point numbers find other multiples of ${factors.join(" and ")}`;
}
