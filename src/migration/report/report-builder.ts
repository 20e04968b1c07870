import { memo } from "../../core/values/memo.ts";
import type { LossKind } from "../verify/compare-values.ts";
import type { JournalEntry, PlainEntry } from "../journal-entry.ts";
import { type OpenQuestion, type QuestionKind, questionsOf, visitPaths } from "../infer/open-question.ts";
import type {
  FailedMessage,
  FailureReport,
  MessageName,
  MigrationFinding,
  MigrationReport,
  PathReport,
  TypeReport,
  TypeSample,
  MigrationVerdict,
} from "./report.ts";
import { type SettledShape, settleShape } from "../infer/settled-shape.ts";
import { SubjectNames } from "../target/subject-name.ts";
import { describeForm, formsOf } from "../target/target-form.ts";
import type { TargetRules } from "../target/target-rules.ts";
import type { MigrationTarget } from "../target/target.ts";
import type { TypeProfile, TypeProfiles } from "../infer/type-profile.ts";

/** Maximum number of failures per code that are reported with bytes. */
const maxByteWindows = 5;
/** Maximum number of failures that are named. */
const maxNamedFailures = 100_000;
/** Maximum number of distinct losses and warnings that are counted separately. */
const maxDistinctCounts = 5_000;
/** Maximum number of paths listed per type. */
const maxPaths = 200;

/** The input of {@link ReportBuilder.build} besides the entries. */
export interface ReportFacts {
  readonly source: string;
  readonly target: MigrationTarget;
  readonly output: string | undefined;
  readonly seconds: number;
  readonly profiles: TypeProfiles;
}

/** Aggregates the outcomes of messages into a report, in constant memory. */
export class ReportBuilder {
  #messages = 0;
  #bytes = 0;
  #schemaChecks = 0;
  readonly #outcomes = { migrated: 0, kept: 0, failed: 0, lossy: 0, resumed: 0 };
  readonly #formats = new Map<string, { messages: number; bytes: number }>();
  readonly #losses = new Map<string, { kind: LossKind; type: string; path: string; count: number; example: string }>();
  readonly #failures = new Map<
    string,
    { step: FailureReport["step"]; code: string; count: number; messages: FailedMessage[] }
  >();
  #named = 0;
  readonly #samples = new Map<string, TypeSample>();
  readonly #fileOf: (entry: JournalEntry) => string | undefined;
  readonly #warnings = new Map<string, number>();

  /** @param fileOf The file in which a failed message is kept. */
  constructor(fileOf: (entry: JournalEntry) => string | undefined = () => undefined) {
    this.#fileOf = fileOf;
  }

  /** Counts one message; `resumed` if an earlier run migrated it. */
  add(entry: JournalEntry, resumed: boolean): void {
    const { losses, failure } = entry;
    const isUnread = failure !== undefined && failure.step !== "write" && failure.step !== "compare";
    this.count(entry, isUnread ? "unread" : undefined);
    if (resumed) this.#outcomes.resumed++;
    if (losses.length > 0) this.#outcomes.lossy++;
    for (const [kind, path] of losses) this.#lose(kind, path, entry);
    for (const warning of entry.warnings) {
      const text = warning.replaceAll(/byte \d+/g, "a byte");
      if (this.#warnings.has(text) || this.#warnings.size < maxDistinctCounts)
        this.#warnings.set(text, (this.#warnings.get(text) ?? 0) + 1);
    }
    if (failure !== undefined) this.#fail(failure, entry);
    const { sample, typeName } = entry;
    if (sample !== undefined && typeName !== undefined && !this.#samples.has(typeName))
      this.#samples.set(typeName, { ...nameOf(entry), ...sample });
  }

  /** Counts one message, about which there is nothing else to report. */
  count({ bytes, outcome, codec, layers, schemaChecked }: PlainEntry, as?: string): void {
    const format = as ?? [...layers, codec].join(" ");
    this.#messages++;
    this.#bytes += bytes;
    this.#outcomes[outcome]++;
    if (schemaChecked === true) this.#schemaChecks++;
    const count = memo(this.#formats, format, () => ({ messages: 0, bytes: 0 }));
    count.messages++;
    count.bytes += bytes;
  }

  #lose(kind: LossKind, path: string, { typeName = "", id }: JournalEntry): void {
    const key = JSON.stringify([kind, typeName, path]);
    const known = this.#losses.get(key);
    if (known !== undefined) known.count++;
    else if (this.#losses.size < maxDistinctCounts)
      this.#losses.set(key, { kind, type: typeName, path, count: 1, example: id });
  }

  #fail(failure: NonNullable<JournalEntry["failure"]>, entry: JournalEntry): void {
    const { step, code } = failure;
    const { sha256, bytes } = entry;
    const key = `${step} ${code}`;
    const known = this.#failures.get(key) ?? { step, code, count: 0, messages: [] };
    known.count++;
    this.#failures.set(key, known);
    if (this.#named++ >= maxNamedFailures) return;
    const hex = known.messages.length < maxByteWindows ? failure.hex : undefined;
    known.messages.push({ ...nameOf(entry), ...failure, hex, sha256, bytes, file: this.#fileOf(entry) });
  }

  build(facts: ReportFacts): MigrationReport {
    const names = new SubjectNames();
    const types = facts.profiles
      .all()
      .map((profile) => ({ profile, shape: settleShape(profile.root), subject: names.take(profile.name) }));
    const questions = types.flatMap(({ profile, shape }) => this.#questions(profile, shape));
    const ambiguities = questions
      .filter(({ question }) => question.settledAs === undefined)
      .map(({ finding }) => finding);
    const losses = Array.from(this.#losses.values(), (loss) => ({ ...loss, text: lossTexts[loss.kind] }));
    const warnings = Array.from(this.#warnings, ([text, count]) => ({ text, count }));
    return {
      version: 1,
      source: facts.source,
      target: facts.target.format,
      output: facts.output,
      seconds: facts.seconds,
      messages: this.#messages,
      bytes: this.#bytes,
      outcomes: this.#outcomes,
      schemaChecks: this.#schemaChecks,
      verdict: this.#verdict(ambiguities.length + warnings.length, losses.length),
      formats: Array.from(this.#formats, ([format, count]) => ({ format, ...count })).toSorted(
        (a, b) => b.messages - a.messages,
      ),
      types: types
        .map(({ profile, shape, subject }) => ({
          ...typeReport(profile, shape, { subject, rules: facts.target.rules }),
          sample: this.#samples.get(profile.name),
        }))
        .toSorted((a, b) => b.messages - a.messages),
      ambiguities,
      settled: questions.filter(({ question }) => question.settledAs !== undefined).map(({ finding }) => finding),
      losses,
      failures: [...this.#failures.values()].toSorted((a, b) => b.count - a.count),
      warnings,
    };
  }

  #questions(
    profile: TypeProfile,
    shape: SettledShape,
  ): readonly { readonly question: OpenQuestion; readonly finding: MigrationFinding<OpenQuestion["kind"]> }[] {
    return questionsOf(shape, profile).map((question) => {
      const { kind, path, count } = question;
      return { question, finding: { kind, type: profile.name, path, count, text: questionText(question) } };
    });
  }

  #verdict(ambiguities: number, losses: number): MigrationVerdict {
    if (this.#outcomes.failed > 0) return "failures";
    if (losses > 0) return "losses";
    return ambiguities > 0 ? "ambiguous" : "clean";
  }
}

function nameOf({ id, messageId, sequenceNumber }: JournalEntry): MessageName {
  return { id, messageId, sequenceNumber: sequenceNumber?.toString() };
}

function typeReport(
  { name, codecs, root }: TypeProfile,
  shape: SettledShape,
  { subject, rules }: { readonly subject: string; readonly rules: TargetRules },
): Omit<TypeReport, "sample"> {
  const paths: PathReport[] = [];
  let more = 0;
  const objects = new Map<string, number>();
  visitPaths(shape, (path, settled) => {
    if (paths.length >= maxPaths) more++;
    else paths.push(pathReport(path, settled, { rules, parents: objects.get(parentOf(path)) }));
    objects.set(path, settled.shape.kinds.object);
  });
  return { name, subject, messages: root.count, codecs: Object.fromEntries(codecs), paths, morePaths: more };
}

function pathReport(
  path: string,
  settled: SettledShape,
  { rules, parents }: { readonly rules: TargetRules; readonly parents: number | undefined },
): PathReport {
  const { shape } = settled;
  const kinds = Object.fromEntries(Object.entries(shape.kinds).filter(([, count]) => count > 0));
  const absent = parents === undefined || path.endsWith("]") ? 0 : Math.max(0, parents - shape.count);
  return { path, kinds, absent, becomes: formsOf(settled, rules).map(describeForm).join(", ") };
}

function parentOf(path: string): string {
  return path.replace(/(?:\.[^.[\]]+|\[[^\]]*\])$/, "");
}

/** The meaning of each loss, and how to avoid it. */
const lossTexts: Readonly<Record<LossKind, string>> = {
  int64: "An integer beyond 2^53 is written as a number, which most JSON readers round. Omit --int64 number.",
  unverified:
    "A source value was not found in the output, or an output value not in the source. Inspect the message, and keep it.",
  "refused-by-schema":
    "The inferred schema of the type rejects the output, although it was inferred from this message too. Keep the message, and do not rely on the schema.",
  decimal: "A decimal is written as a number that loses digits. Omit --decimal number.",
  "number-as-text":
    "A JSON number is written as text, like all numbers at its path, since others there need every digit. --int64 number or --decimal number keeps numbers.",
  "type-name": "Objects here have several types, and the type of each is not written; tagged JSON keeps it.",
  "shared-reference":
    "An object that was referenced several times is written at every place; tagged JSON keeps the references.",
  "appended-data": "Data appended by a writeObject method has no member to be in; tagged JSON keeps it.",
  "hidden-members": "Members of a base class are hidden by members of the same name; tagged JSON keeps them.",
  "time-kind":
    "A local time with an unknown offset is written without one, like a time without a kind; tagged JSON keeps it.",
  "enum-number": "The number of an enum's name differed or is unknown here; tagged JSON keeps it.",
  "array-lengths": "An array of several dimensions, one of them empty, loses its lengths; tagged JSON keeps them.",
  "null-or-absent": "The member was null in some messages and absent in others, and Protobuf has one form for both.",
};

const openTexts: Readonly<Record<QuestionKind, string>> = {
  "list-of-one":
    "An element with one kind of child: an object, or a list with one item. Kept as an object; a contract decides it.",
  empty: "An empty element: an empty text, list or object, or a null. Kept as empty text; a contract decides it.",
  "empty-list": "An empty list or an empty dictionary. Kept as an empty list; a contract decides it.",
  entries:
    "A JSON list of objects with Key and Value: a dictionary of .NET, or a list of a class with these members. Read as a dictionary; a contract decides it.",
  digit:
    "0 or 1: a number, or the text of one, which .NET writes as the same bytes. Kept as a number; a contract decides it.",
  "guessed-type":
    "XML text that is a number or boolean in its shortest form, and may be text. Kept as a number or boolean; a contract decides it.",
  unrecorded:
    "Members beyond the 200,000 paths of a migration: kept as read, whatever other messages have there. Migrate fewer types at once.",
};

/** The meaning of an open question, or how other messages resolved it. */
function questionText({ kind, settledAs }: OpenQuestion): string {
  return settledAs === undefined
    ? openTexts[kind]
    : `${settledTexts[kind]} ${settledAs}, since other messages have one here.`;
}

const settledTexts: Readonly<Record<QuestionKind, string>> = {
  "list-of-one": "An element with one child became",
  empty: "An empty element became",
  "empty-list": "An empty list became",
  entries: "A list of keys and values became",
  digit: "0 and 1 became",
  "guessed-type": "Numbers and booleans became",
  unrecorded: "Members became",
};
