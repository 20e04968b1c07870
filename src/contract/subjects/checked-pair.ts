import type { Codec } from "../../core/codec/codec.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkCompatibility } from "../check-compatibility.ts";
import type { NextVersion } from "../next-version.ts";
import type { CompatibilityOptions } from "../options.ts";
import type { CompatibilityResult } from "../verdict.ts";
import type { VersionPair } from "./subject-pairs.ts";
import type { SubjectVersion } from "./subject-version.ts";
import type { SubjectUpcast } from "./upcast-by.ts";

/** A pair with its verdict. */
export interface CheckedPair extends VersionPair {
  readonly result: CompatibilityResult;
  /** Whether every break that was found is waived, so that `--strict` lets it pass. */
  readonly isWaived?: boolean;
  /** The version that the newer schema should get, where it has no number yet or one that its breaks contradict. */
  readonly nextVersion?: NextVersion;
  /** The label of a registry next to the verdict: its mode, and what it says itself of the newer version where it does. */
  readonly registry?: { readonly mode: string; readonly isCompatible: boolean | undefined };
}

/** Options of {@link checkPair}. */
export interface PairOptions {
  /** The codecs whose bytes carry witnesses. */
  readonly codecs: readonly Codec[];
  /** For subjects whose content model is `upcast`. */
  readonly upcast?: SubjectUpcast | undefined;
  /** Steps for the pair. Default: 10,000,000. */
  readonly budget?: number | undefined;
}

/**
 * Compares a pair by its subject's policy.
 *
 * @throws SobreError `InvalidArgument` when a schema cannot be read, or the two are of different formats.
 */
export async function checkPair(pair: VersionPair, { codecs, upcast, budget }: PairOptions): Promise<CheckedPair> {
  const { subject, older, newer, direction } = pair;
  if (older.format !== newer.format)
    throw new SobreError(
      "InvalidArgument",
      `${older.file} and ${newer.file} have different formats, which cannot be compared. Give the new format its own subject.`,
    );
  const { contentModel, formats, policy, typeName } = subject;
  if (pair.isUpcast === true && upcast === undefined) return withoutUpcaster(pair);
  const isUpcast = pair.isUpcast === true && upcast !== undefined;
  const result = await compatibilityOf(older, newer, {
    format: newer.format,
    direction,
    contentModel: isUpcast ? "upcast" : contentModel === "upcast" ? "declared-writer" : contentModel,
    ...(isUpcast ? { upcast: upcastOfPair(pair, upcast) } : {}),
    formats,
    policy,
    typeName,
    ...(budget === undefined ? {} : { budget }),
    codecs: codecs.filter(({ name }) => subject.codecs.length === 0 || subject.codecs.includes(name)),
  });
  return { ...pair, result: withoutIgnored(result, subject) };
}

/** {@link checkCompatibility} of two files. @throws SobreError naming the file whose schema is invalid. */
export async function compatibilityOf(
  older: Pick<SubjectVersion, "file" | "schema">,
  newer: Pick<SubjectVersion, "file" | "schema">,
  options: Omit<CompatibilityOptions, "older" | "newer">,
): Promise<CompatibilityResult> {
  try {
    // A file that holds a list is not a list of versions.
    return await checkCompatibility({ ...options, older: [older.schema], newer: [newer.schema] });
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    for (const { file, schema } of [older, newer])
      await checkCompatibility({ format: options.format, older: [schema], newer: [schema] }).catch((own: unknown) => {
        if (!(own instanceof SobreError)) throw own;
        throw new SobreError(own.code, `${file}: ${own.message}`, { path: own.path, cause: own });
      });
    throw error;
  }
}

/** The result without the findings that the subject's policy ignores; a verdict never becomes safe by that. */
function withoutIgnored(result: CompatibilityResult, { ignore }: VersionPair["subject"]): CompatibilityResult {
  const findings = result.findings.filter(({ code }) => !ignore.includes(code));
  if (findings.length === result.findings.length) return result;
  const assumptions = [...result.assumptions, `ignored: ${ignore.join(", ")}`];
  const isBreaking = findings.some(({ severity }) => severity === "error");
  const verdict = isBreaking || result.verdict !== "breaking" ? result.verdict : "tested";
  return { ...result, verdict, findings, assumptions, ...(isBreaking ? {} : { tried: assumptions.slice(-1) }) };
}

function withoutUpcaster(pair: VersionPair): CheckedPair {
  const tried = ["no upcaster was given: pass the module of the message types with --types"];
  return { ...pair, result: { verdict: "unproven", findings: [], tried, assumptions: ["older writes"], rows: [] } };
}

/** Converts the older version's bodies for the newer one. */
function upcastOfPair({ subject, older, newer }: VersionPair, upcast: SubjectUpcast): (body: unknown) => unknown {
  return (body) => upcast(subject, body, { from: older.version, to: newer.version }) ?? body;
}
