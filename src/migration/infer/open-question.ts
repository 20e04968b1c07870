import { memberStep } from "../../core/values/member-step.ts";
import type { PathShape } from "./shape.ts";
import type { SettledShape } from "./settled-shape.ts";
import type { TypeProfile } from "./type-profile.ts";

/** A fact that a single payload does not determine. */
export type QuestionKind = "list-of-one" | "empty" | "empty-list" | "entries" | "digit" | "guessed-type" | "unrecorded";

/** An ambiguity of a type's payloads at one path, which other messages may settle. */
export interface OpenQuestion {
  readonly kind: QuestionKind;
  /** E.g. `$.Lines[].Sku`; `[]` means every item, `[key]` every member of a dictionary. */
  readonly path: string;
  /** The number of values. */
  readonly count: number;
  /** The answer from other messages, or `undefined` if there is none. */
  readonly settledAs: string | undefined;
}

/** The facts about a type besides its paths. */
export type QuestionFacts = Pick<TypeProfile, "scalarsGuessed" | "codecs">;

/** Whether the contents of an element with one member may be a list item: a number in a .NET list is named after its type. */
function mayBeItem({ kinds, count }: PathShape): boolean {
  return kinds.text > 0 || kinds["empty-text"] > 0 || kinds.object > 0 || kinds.list > 0 || kinds.null === count;
}

/** Whether a codec's format writes an empty dictionary like an empty list. */
function isDotnets(codec: string): boolean {
  return codec === "nbfx" || codec.startsWith("datacontract-");
}

/** The questions of one type, in the order of its paths. */
export function questionsOf(root: SettledShape, facts: QuestionFacts): readonly OpenQuestion[] {
  const found: OpenQuestion[] = [];
  visitPaths(root, (path, settled) => void found.push(...questionsAt(path, settled, facts)));
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
  { shape, list, dictionary, guesses: guessesAre, members }: SettledShape,
  { scalarsGuessed, codecs }: QuestionFacts,
): Generator<OpenQuestion> {
  const { kinds, singles, empties, emptyLists, entryLists, guesses, typeNames, unrecorded } = shape;
  if (unrecorded > 0) yield { kind: "unrecorded", path, count: unrecorded, settledAs: undefined };
  if (singles > 0 && list) yield { kind: "list-of-one", path, count: singles, settledAs: "a list" };
  else if (singles > 0 && path !== "$" && singles === kinds.object && members.size === 1 && typeNames.size === 0) {
    const [inner] = members.values();
    if (scalarsGuessed || inner === undefined || mayBeItem(inner.shape))
      yield { kind: "list-of-one", path, count: singles, settledAs: undefined };
  }
  if (empties > 0) {
    const settledAs = kinds.text > 0 ? "text" : list ? "a list" : dictionary && "a dictionary";
    yield { kind: "empty", path, count: empties, settledAs };
  }
  if (entryLists > 0) yield { kind: "entries", path, count: entryLists, settledAs: undefined };
  const mayBeDictionary = emptyLists > 0 && emptyLists === kinds.list && [...codecs.keys()].some(isDotnets);
  if (dictionary !== undefined && emptyLists > 0)
    yield { kind: "empty-list", path, count: emptyLists, settledAs: "a dictionary" };
  else if (mayBeDictionary) yield { kind: "empty-list", path, count: emptyLists, settledAs: undefined };
  if (guesses === 0) return;
  const kind = scalarsGuessed || guesses !== kinds.integer ? "guessed-type" : "digit";
  if (guessesAre !== "kept")
    yield { kind, path, count: guesses, settledAs: guessesAre === "text" ? "text" : "a decimal" };
  else if (scalarsGuessed) yield { kind: "guessed-type", path, count: guesses, settledAs: undefined };
  else if (guesses === kinds.integer)
    yield { kind: "digit", path, count: guesses, settledAs: kinds.number > 0 ? "a number" : undefined };
}
