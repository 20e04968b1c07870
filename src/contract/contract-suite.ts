import { existsSync } from "node:fs";
import type { Codec } from "../codec/codec.ts";
import type { Serializer } from "../codec/serializer.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { aFunction, checkOptions, listOf, methods, name, type OptionChecks } from "../options/option-checks.ts";
import { type GoldenMessage, readGolden } from "./golden/golden-message.ts";
import { type MatrixOptions, planMatrix, readCell } from "./golden/matrix.ts";
import { checkPair } from "./subjects/checked-pair.ts";
import { folderFiles, readSubjects, type Subject, type SubjectVersion } from "./subjects/subject.ts";
import { pairsWithin, type VersionPair } from "./subjects/subject-pairs.ts";
import { majorOf, type SubjectUpcast } from "./subjects/upcast-by.ts";

/** One test: a name, and a function that rejects when it fails. */
export interface ContractTest {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Options of {@link contractSuite}. */
export interface ContractSuiteOptions {
  /** Folder of the subjects. */
  readonly schemas: string;
  /** Folder of the golden messages. Default: none. */
  readonly fixtures?: string;
  /** Reads the golden messages of every consumer, or makes the serializer of each version. */
  readonly serializer: Serializer | MatrixOptions["serializerOf"];
  /** The codecs whose bytes carry witnesses. Default: none. */
  readonly codecs?: readonly Codec[];
  /** Converts older bodies, e.g. by the upcasters of message types ({@link upcastBy}). Default: no conversion. */
  readonly upcast?: SubjectUpcast | undefined;
}

/**
 * One test for each pair of versions that meet, one for each major that an upcaster leads to the newest version, and one
 * for each recorded cell of the matrix. Pass them to your
 * runner: `for (const { name, run } of contractSuite(options)) it(name, run)`.
 *
 * @throws SobreError `InvalidArgument` when a subject or golden message cannot be read, an option is wrong or misspelt, or
 *   there is nothing to test.
 */
export function contractSuite(options: ContractSuiteOptions): readonly ContractTest[] {
  checkOptions(options, optionChecks, { needed: ["schemas", "serializer"] });
  if (options.fixtures !== undefined && !existsSync(options.fixtures))
    throw new SobreError("InvalidArgument", `Cannot read the folder of golden messages ${options.fixtures}.`);
  const subjects = readSubjects(folderFiles(options.schemas));
  const golden: readonly GoldenMessage[] = options.fixtures === undefined ? [] : readGolden(options.fixtures);
  const { codecs = [], upcast, serializer } = options;
  const pairs = subjects
    .flatMap(pairsWithin)
    .filter(({ subject, older, newer }) => upcast === undefined || !isUpcast(subject, older, newer))
    .map((pair): ContractTest => ({
      name: nameOf(pair),
      run: async () => {
        const { result } = await checkPair(pair, { codecs });
        if (result.verdict !== "safe") throw new Error(compatibilityMessage(result));
      },
    }));
  const upcasts = upcast === undefined ? [] : subjects.flatMap((subject) => upcastTests(subject, upcast, codecs));
  const matrix = {
    serializerOf: typeof serializer === "function" ? serializer : () => serializer,
    upcast,
  };
  const reads = planMatrix(subjects, golden)
    .filter(({ meets, messages }) => meets && messages.length > 0)
    .map((cell): ContractTest => ({
      name: `${cell.subject} ${cell.consumer} reads what ${cell.producer} has sent as ${cell.codec}`,
      run: async () => {
        const { outcome, detail } = await readCell(cell, matrix);
        if (outcome !== "read") throw new Error(`${outcome}: ${detail}`);
      },
    }));
  const tests = [...pairs, ...upcasts, ...reads];
  if (tests.length > 0) return tests;
  throw new SobreError("InvalidArgument", `There is nothing to test in ${options.schemas}: no two versions meet.`);
}

const serializing = methods("a serializer", "serialize", "deserialize");

const optionChecks: OptionChecks<ContractSuiteOptions> = {
  schemas: name,
  fixtures: name,
  serializer: (value) =>
    typeof value === "function" || serializing(value) === undefined
      ? undefined
      : "must be a serializer, or a function that makes the one of each version",
  codecs: listOf("codecs", methods("a codec", "encode", "decode")),
  upcast: aFunction,
};

function nameOf({ subject, older, newer, direction }: VersionPair): string {
  if (direction === "full") return `${subject.name} ${older.version} and ${newer.version} can read each other`;
  const [reader, writer] = direction === "backward" ? [newer, older] : [older, newer];
  return `${subject.name} ${reader.version} can read all that ${writer.version} sends`;
}

/** Whether readers of the newer version see what an upcaster has made. */
function isUpcast({ contentModel }: Subject, older: SubjectVersion, newer: SubjectVersion): boolean {
  return contentModel === "upcast" && majorOf(older.version) < majorOf(newer.version);
}

/** Any valid body of an older major must become a valid one of the newest version; searched for, and never proven. */
function upcastTests(subject: Subject, upcast: SubjectUpcast, codecs: readonly Codec[]): readonly ContractTest[] {
  const newer = subject.versions.at(-1);
  if (newer === undefined) return [];
  const olders = subject.versions.filter(
    ({ version, format }) => format === "json-schema" && majorOf(version) < majorOf(newer.version),
  );
  return olders.map((older) => ({
    name: `${subject.name} ${older.version} becomes a valid ${newer.version}`,
    run: async () => {
      const pair = { subject: { ...subject, contentModel: "upcast" }, older, newer, direction: "backward" } as const;
      const { result } = await checkPair(pair, { codecs, upcast });
      if (result.verdict === "breaking") throw new Error(compatibilityMessage(result));
    },
  }));
}

/** The text that a failing test shows: the verdict, and the first witness. */
export function compatibilityMessage(result: {
  readonly verdict: string;
  readonly findings: readonly {
    readonly message: string;
    readonly witness?: { readonly value: unknown; readonly outcome: string };
  }[];
  readonly tried?: readonly string[];
}): string {
  const [finding] = result.findings;
  if (result.verdict === "safe") return "safe: the reader takes all that the writer sends, which is proven.";
  if (finding === undefined) return `${result.verdict}: ${(result.tried ?? []).join("; ")}`;
  const { witness } = finding;
  const shown =
    witness === undefined ? "" : ` Witness: ${JSON.stringify(witness.value)}; the reader ${witness.outcome}.`;
  return `${result.verdict}: ${finding.message}${shown}`;
}
