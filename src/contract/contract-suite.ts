import type { Codec, Serializer } from "../codec/index.ts";
import { type GoldenMessage, readGolden } from "./golden/golden-message.ts";
import { contractMatrix, type MatrixOptions } from "./golden/matrix.ts";
import { checkPair } from "./subjects/checked-pair.ts";
import { folderFiles, readSubjects } from "./subjects/subject.ts";
import { pairsWithin } from "./subjects/subject-pairs.ts";

/** One test: a name, and a function that rejects when it fails. */
export interface ContractTest {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** What {@link contractSuite} takes. */
export interface ContractSuiteOptions {
  /** Folder of the subjects. */
  readonly schemas: string;
  /** Folder of the golden messages. Default: none. */
  readonly fixtures?: string;
  /** Reads the golden messages of every consumer, or makes the serializer of each version. */
  readonly serializer: Serializer | MatrixOptions["serializerOf"];
  /** The codecs whose bytes carry witnesses. Default: none. */
  readonly codecs?: readonly Codec[];
  /** What a consumer makes of older bodies. Default: nothing. */
  readonly upcast?: MatrixOptions["upcast"];
}

/**
 * One test for each pair of versions that meet, and one for each cell of the matrix that is no hole: give them to your
 * runner, as in `for (const { name, run } of contractSuite(options)) it(name, run)`.
 *
 * @throws SobreError `InvalidArgument` when a subject or golden message cannot be read.
 */
export function contractSuite(options: ContractSuiteOptions): readonly ContractTest[] {
  const subjects = readSubjects(folderFiles(options.schemas));
  const golden: readonly GoldenMessage[] = options.fixtures === undefined ? [] : readGolden(options.fixtures);
  const pairs = subjects.flatMap(pairsWithin).map((pair): ContractTest => ({
    name: `${pair.subject.name} ${pair.older.version} and ${pair.newer.version} read each other (${pair.direction})`,
    run: async () => {
      const { result } = await checkPair(pair, options.codecs ?? []);
      if (result.verdict !== "safe") throw new Error(compatibilityMessage(result));
    },
  }));
  const { upcast, serializer } = options;
  const cells = contractMatrix(subjects, golden, {
    serializerOf: typeof serializer === "function" ? serializer : () => serializer,
    ...(upcast === undefined ? {} : { upcast }),
  });
  const reads = cells
    .filter(({ meets, outcome }) => meets && outcome !== "hole")
    .map(({ subject, producer, consumer, codec, outcome, detail }): ContractTest => ({
      name: `${subject} ${consumer} reads what ${producer} has sent as ${codec}`,
      run: async () => {
        if (outcome !== "read") throw new Error(`${outcome}: ${detail}`);
      },
    }));
  return [...pairs, ...reads];
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
  if (finding === undefined) return `${result.verdict}: ${(result.tried ?? []).join("; ")}`;
  const { witness } = finding;
  const shown =
    witness === undefined ? "" : ` Witness: ${JSON.stringify(witness.value)}; the reader ${witness.outcome}.`;
  return `${result.verdict}: ${finding.message}${shown}`;
}
