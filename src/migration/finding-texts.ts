import type { LossKind } from "./compare-values.ts";
import type { OpenQuestion, QuestionKind } from "./open-question.ts";

/** What each loss means, and how it is avoided. */
export const lossTexts: Readonly<Record<LossKind, string>> = {
  int64: "An integer beyond 2^53 is written as a number, which most readers of JSON round; leave out --int64 number.",
  "type-name": "Objects of several types stand here, and which one an object was is not written; tagged JSON keeps it.",
  "shared-reference": "One object was referred to several times and is written at every place; tagged JSON keeps it.",
  "appended-data": "What a writeObject method has appended has no member to stand in; tagged JSON keeps it.",
  "hidden-members": "Members of a base class are hidden by members of the same name; tagged JSON keeps them.",
  "time-kind": "A local time of unknown offset is written without one, as a time of no kind is; tagged JSON keeps it.",
  "enum-number":
    "The name of an enum does not tell its number, which differed or is unknown here; tagged JSON keeps it.",
  "array-lengths":
    "An array of several dimensions, one of them empty, does not tell its lengths any more; tagged JSON keeps them.",
  "null-or-absent": "The member was null in some messages and absent in others, and Protobuf has one form for both.",
};

const openTexts: Readonly<Record<QuestionKind, string>> = {
  "list-of-one":
    "An element with one kind of child: an object, or a list with one item. Kept as an object; a contract tells.",
  empty: "An empty element: an empty text, list or object, or a null. Kept as empty text; a contract tells.",
  digit:
    "0 or 1: a number, or the text of one, which .NET writes as the same bytes. Kept as a number; a contract tells.",
  "guessed-type":
    "XML text that is a number or boolean in its shortest form, and may be text. Kept as a number or boolean; a contract tells.",
};

/** What an open question means, or how the other messages have settled it. */
export function questionText({ kind, settledAs }: OpenQuestion): string {
  return settledAs === undefined
    ? openTexts[kind]
    : `${settledTexts[kind]} ${settledAs}, since other messages have one here.`;
}

const settledTexts: Readonly<Record<QuestionKind, string>> = {
  "list-of-one": "An element with one child became",
  empty: "An empty element became",
  digit: "0 and 1 became",
  "guessed-type": "Numbers and booleans became",
};
