import { existsSync } from "node:fs";
import type { Codec } from "../core/codec/codec.ts";
import type { Serializer } from "../core/codec/serializer.ts";
import { SobreError } from "../core/errors/sobre-error.ts";
import { checkOptions, type OptionChecks } from "../core/options/option-checks.ts";
import * as is from "../core/options/is.ts";
import { type GoldenMessage, readGolden } from "./golden/golden-message.ts";
import { type MatrixOptions, planMatrix, readCell } from "./golden/matrix.ts";
import type { MessageType } from "../core/message/message-type.ts";
import { checkCompatibility } from "./check-compatibility.ts";
import { typedProblem } from "./golden/typed-golden.ts";
import { checkPair } from "./subjects/checked-pair.ts";
import { codeDifferences } from "./subjects/code-check.ts";
import { jsonSchemaOf } from "./subjects/schema-source.ts";
import { subjectsOfFolder, type Subject } from "./subjects/subject.ts";
import { pairsWithin, type VersionPair } from "./subjects/subject-pairs.ts";
import { type SubjectUpcast, upcastBy } from "./subjects/upcast-by.ts";

/** One test: a name, and a function that rejects when it fails. */
export interface ContractTest {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Options of {@link contractSuite}. */
export interface ContractSuiteOptions {
  /** The folder of subjects. */
  readonly schemas: string;
  /** The folder of golden messages. Default: none. */
  readonly fixtures?: string;
  /** The serializer for all consumers, or a function that returns one per version. */
  readonly serializer: Serializer | MatrixOptions["serializerOf"];
  /** The codecs in which witnesses are encoded. Default: none. */
  readonly codecs?: readonly Codec[];
  /** Converts older bodies, e.g. by the upcasters of message types ({@link upcastBy}). Default: no conversion. */
  readonly upcast?: SubjectUpcast | undefined;
  /**
   * The message types in the code, which must agree with the schema files and read the golden messages; their upcasts
   * apply unless `upcast` is given. Default: none.
   */
  readonly types?: readonly MessageType[] | undefined;
}

/**
 * One test for each pair of versions that meet, with upcasters where the subject's content model says so, and one for
 * each recorded cell of the matrix. Pass them to your runner: `for (const { name, run } of contractSuite(options))
 * it(name, run)`.
 *
 * @throws SobreError `InvalidArgument` when a subject or golden message cannot be read, an option is invalid, or there
 * is nothing to test.
 */
export function contractSuite(options: ContractSuiteOptions): readonly ContractTest[] {
  checkOptions(options, optionChecks, { needed: ["schemas", "serializer"] });
  if (options.fixtures !== undefined && !existsSync(options.fixtures))
    throw new SobreError("InvalidArgument", `Cannot read the folder of golden messages ${options.fixtures}.`);
  const subjects = subjectsOfFolder(options.schemas);
  const golden: readonly GoldenMessage[] = options.fixtures === undefined ? [] : readGolden(options.fixtures);
  const { codecs = [], types = [], serializer } = options;
  const upcast = options.upcast ?? (types.length === 0 ? undefined : upcastBy(types));
  const pairs = subjects.flatMap(pairsWithin).map((pair): ContractTest => ({
    name: nameOf(pair),
    run: async () => {
      const { subject, result } = await checkPair(pair, { codecs, upcast });
      const isPassed = result.verdict === "safe" || (result.verdict === "tested" && subject.tested === "allow");
      if (!isPassed) throw new Error(compatibilityMessage(result));
    },
  }));
  const serializerOf = typeof serializer === "function" ? serializer : () => serializer;
  const matrix = { serializerOf, upcast };
  const alone = subjects
    .filter(({ versions }) => versions.length === 1)
    .map(({ name: subject, versions: [only] }): ContractTest => ({
      name: `${subject} has one version in flight, ${only?.version ?? ""}`,
      run: async () => {
        if (only === undefined) return;
        const { format, schema } = only;
        await checkCompatibility({ format, older: schema, newer: schema, contentModel: "as-written" });
      },
    }));
  const reads = planMatrix(subjects, golden)
    .filter(({ meets, messages }) => meets && messages.length > 0)
    .map((cell): ContractTest => ({
      name: `${cell.subject} ${cell.consumer} reads what ${cell.producer} has sent as ${cell.codec}`,
      run: async () => {
        const { outcome, detail } = await readCell(cell, matrix);
        if (outcome !== "read") throw new Error(`${outcome}: ${detail}`);
      },
    }));
  const coded = types.flatMap((type) => typeTests(type, { subjects, golden, serializerOf }));
  const tests = [...pairs, ...alone, ...coded, ...reads];
  if (tests.length > 0) return tests;
  throw new SobreError("InvalidArgument", `${options.schemas} has no version of a subject.`);
}

/** A message type must be what the files say, and read every golden message of its subject. */
function typeTests(
  type: MessageType,
  {
    subjects,
    golden,
    serializerOf,
  }: {
    readonly subjects: readonly Subject[];
    readonly golden: readonly GoldenMessage[];
    readonly serializerOf: MatrixOptions["serializerOf"];
  },
): readonly ContractTest[] {
  const subject = subjects.find((one) => one.name === type.name);
  const agrees: ContractTest = {
    name: `${type.name} is in the code as in its files`,
    run: async () => {
      const schemas = type.versions.map((major) => ({
        subject: type.name,
        major,
        schema: jsonSchemaOf(type.schemaOf(major)),
      }));
      const differences = await codeDifferences(schemas, subjects);
      const first = differences.find(({ severity }) => severity === "error");
      if (first !== undefined) throw new Error(first.message);
    },
  };
  const reads = golden
    .filter((message) => message.subject === type.name)
    .flatMap((message): readonly ContractTest[] => {
      const released = subject?.versions.find(({ version }) => version === message.version);
      if (subject === undefined || released === undefined) return [];
      return [
        {
          name: `${type.name} reads ${message.version}/${message.codec}/${message.name}`,
          run: async () => {
            const serializer = serializerOf(subject, released);
            const problem = await typedProblem(message, { types: [type], serializer, subject });
            if (problem !== undefined) throw new Error(problem);
          },
        },
      ];
    });
  return [agrees, ...reads];
}

const optionChecks: OptionChecks<ContractSuiteOptions> = {
  schemas: is.name,
  fixtures: is.name,
  serializer: (value) =>
    typeof value === "function" || is.serializer(value) === undefined
      ? undefined
      : "must be a serializer, or a function that makes the one of each version",
  codecs: is.listOf("codecs", is.codec),
  upcast: is.aFunction,
  types: is.messageTypes,
};

function nameOf({ subject, older, newer, direction, isUpcast }: VersionPair): string {
  if (isUpcast === true) return `${subject.name} ${older.version} becomes a valid ${newer.version}`;
  if (direction === "full") return `${subject.name} ${older.version} and ${newer.version} can read each other`;
  const [reader, writer] = direction === "backward" ? [newer, older] : [older, newer];
  return `${subject.name} ${reader.version} can read all that ${writer.version} sends`;
}

/** The message of a failing test: the verdict and the first witness. */
export function compatibilityMessage(result: {
  readonly verdict: string;
  readonly findings: readonly {
    readonly message: string;
    readonly witness?: { readonly value: unknown; readonly outcome: string };
  }[];
  readonly tried?: readonly string[];
}): string {
  const [finding] = result.findings;
  if (result.verdict === "safe") return "safe: proven that the reader accepts every message of the writer.";
  if (result.verdict === "tested") return `tested: ${(result.tried ?? []).join("; ")}`;
  if (finding === undefined) return `${result.verdict}: ${(result.tried ?? []).join("; ")}`;
  const { witness } = finding;
  const shown =
    witness === undefined ? "" : ` Witness: ${JSON.stringify(witness.value)}; the reader ${witness.outcome}.`;
  return `${result.verdict}: ${finding.message}${shown}`;
}
