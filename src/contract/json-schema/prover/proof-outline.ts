import type { OtherNameProof, Proof } from "./proof.ts";

const maxLines = 200;

/** A proof as text, one step a line, indented by depth; at most 200 lines. */
export function outline(proof: Proof): readonly string[] {
  const lines: string[] = [];
  const add = (depth: number, text: string): void =>
    void (lines.length < maxLines && lines.push(`${"  ".repeat(depth)}${text}`));
  const visit = (step: Proof, depth: number): void => {
    if (lines.length >= maxLines) return;
    switch (step.rule) {
      case "clash":
        return add(depth, "contradicts itself");
      case "induction":
        return add(depth, "repeats a set from above, for a value inside: no smallest one exists");
      case "types":
        for (const [type, inner] of step.cases) {
          if (inner.rule === "clash") continue;
          add(depth, `as ${type}:`);
          visit(inner, depth + 1);
        }
        return undefined;
      case "values":
        return add(depth, "every listed value is refused");
      case "numbers":
        return add(depth, "no number fits");
      case "strings":
        return add(depth, "no string fits");
      case "cases":
        return step.cases.forEach((inner, at) => {
          add(depth, `case ${at + 1} of ${step.cases.length}:`);
          visit(inner, depth + 1);
        });
      case "member":
      case "item":
        add(
          depth,
          step.rule === "member"
            ? `the member ${JSON.stringify(step.name)} cannot be:`
            : `the item ${step.at} cannot be:`,
        );
        return visit(step.proof, depth + 1);
      case "placement":
        for (const [name, inner] of step.names) {
          add(depth, `not the member ${JSON.stringify(name)}:`);
          visit(inner, depth + 1);
        }
        return other(step.other, depth);
      case "membersRequired":
        return add(depth, "more members are required than allowed");
      case "membersPossible":
        add(depth, "too few members are possible");
        return other(step.other, depth);
      case "itemPlacement":
        for (const [at, inner] of step.at) {
          add(depth, `not the item ${at}:`);
          visit(inner, depth + 1);
        }
        if (step.tail === undefined) return undefined;
        add(depth, "not a later item:");
        return visit(step.tail.proof, depth + 1);
      case "containsPossible":
        return add(depth, "too few items can be what is wanted");
      case "containsForced":
        return add(depth, "too many items must be what is limited");
      case "containsExceeded":
        return add(depth, `at least ${step.least.count} items are wanted where ${step.most.count} are allowed`);
      case "pigeonhole":
        return add(depth, "there are fewer values than different items");
      case "duplicate":
        return add(depth, "no two items can be equal");
    }
  };
  const other = (step: OtherNameProof, depth: number): void => {
    if (step.by === "count") return add(depth, "no other member has room");
    if (step.by === "split") {
      other(step.inside, depth);
      return other(step.outside, depth);
    }
    add(depth, step.by === "name" ? "no other name fits:" : "not another member:");
    return visit(step.proof, depth + 1);
  };
  visit(proof, 0);
  return lines.length === 0 ? ["contradicts itself for every type"] : lines;
}
