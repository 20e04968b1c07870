import { memberStep } from "../values/member-step.ts";
import type { SettledShape } from "./settled-shape.ts";

/** A fact that a single payload leaves open. */
export type QuestionKind = "list-of-one" | "empty" | "digit" | "guessed-type";

/** Something that payloads of a type leave open at one path: settled by other messages, or ambiguous. */
export interface OpenQuestion {
  readonly kind: QuestionKind;
  /** As `$.Lines[].Sku`; `[]` stands for every item, `[key]` for every member of a dictionary. */
  readonly path: string;
  /** How many values. */
  readonly count: number;
  /** The answer of the other messages, or `undefined` without one. */
  readonly settledAs: string | undefined;
}

/** The questions of one type, in the order of its paths. */
export function questionsOf(root: SettledShape, scalarsGuessed: boolean): readonly OpenQuestion[] {
  const found: OpenQuestion[] = [];
  visitPaths(root, (path, settled) => void found.push(...questionsAt(path, settled, scalarsGuessed)));
  return found;
}

/** Calls `visit` for the shape of every path, parents first. */
export function visitPaths(
  root: SettledShape,
  visit: (path: string, settled: SettledShape) => void,
  path: string = "$",
): void {
  visit(path, root);
  for (const [name, member] of root.members) visitPaths(member, visit, `${path}${memberStep(name)}`);
  if (root.keys !== undefined) visitPaths(root.keys, visit, `${path}[key]`);
  if (root.items === undefined) return;
  visitPaths(root.items, visit, `${path}${root.keys !== undefined || root.shape.isDictionary ? "[value]" : "[]"}`);
}

function* questionsAt(
  path: string,
  { shape, list, guesses: guessesAre, members }: SettledShape,
  scalarsGuessed: boolean,
): Generator<OpenQuestion> {
  const { kinds, singles, empties, guesses, typeNames } = shape;
  if (singles > 0 && list) yield { kind: "list-of-one", path, count: singles, settledAs: "a list" };
  else if (singles > 0 && path !== "$" && singles === kinds.object && members.size === 1 && typeNames.size === 0) {
    const [inner] = members.values();
    // A scalar in a list of .NET's bears the name of its type.
    if (scalarsGuessed || (inner?.shape.kinds.object ?? 0) > 0)
      yield { kind: "list-of-one", path, count: singles, settledAs: undefined };
  }
  if (empties > 0) {
    const settledAs = kinds.text > 0 ? "text" : list ? "a list" : undefined;
    yield { kind: "empty", path, count: empties, settledAs };
  }
  if (guesses === 0) return;
  const kind = scalarsGuessed || guesses !== kinds.integer ? "guessed-type" : "digit";
  if (guessesAre !== "kept")
    yield { kind, path, count: guesses, settledAs: guessesAre === "text" ? "text" : "a decimal" };
  else if (scalarsGuessed) yield { kind: "guessed-type", path, count: guesses, settledAs: undefined };
  else if (guesses === kinds.integer)
    yield { kind: "digit", path, count: guesses, settledAs: kinds.number > 0 ? "a number" : undefined };
}
