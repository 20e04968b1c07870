import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { amqp } from "../../codecs/amqp/codec.ts";
import { json } from "../../codecs/json/index.ts";
import { msgpack } from "../../codecs/msgpack/msgpack.ts";
import type { Codec } from "../codec/codec.ts";
import { checkCompatibility } from "../contract/check-compatibility.ts";
import type { CompatibilityOptions } from "../contract/options.ts";
import { type CheckReport, type ReportFormat, countOf } from "../contract/report/check-report.ts";
import { formatReport } from "../contract/report/format-report.ts";
import { checkPair, type CheckedPair } from "../contract/subjects/checked-pair.ts";
import { brokenLocks, parseLock } from "../contract/subjects/lock.ts";
import { folderFiles, readSubjects, type Subject, type SubjectFiles } from "../contract/subjects/subject.ts";
import { pairsAgainst, pairsWithin } from "../contract/subjects/subject-pairs.ts";
import { applyWaivers, parseWaivers } from "../contract/subjects/waivers.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { upcastsOf } from "./contract-upcasters.ts";
import { fileProblem, Misuse } from "./misuse.ts";
import type { Terminal } from "./terminal.ts";

/** The exit codes of `sobre contract`: what was found is never mixed up with a tool that failed. */
export const contractExitCodes = { proven: 0, breaking: 1, misuse: 2, unproven: 3, unreadable: 4 } as const;

/** Options of `sobre contract check`. */
export interface CheckCommand {
  /** Folder of the subjects. */
  readonly folder: string;
  /** `git:REF`, a folder, `lock`, or an installed package; without it versions are compared among themselves. */
  readonly against: string | undefined;
  readonly format: ReportFormat;
  /** Whether `unproven` fails. */
  readonly strict: boolean;
  /** A module that exports message types, for subjects whose content model is `upcast`. */
  readonly upcasters?: string | undefined;
}

/** The codecs whose bytes carry witnesses on the command line. */
export function witnessCodecs(): readonly Codec[] {
  return [json(), msgpack(), amqp()];
}

/** Checks the subjects of a folder; resolves to the exit code. */
export async function checkContracts(command: CheckCommand, terminal: Terminal): Promise<number> {
  try {
    const report = await reportOf(command);
    for (const note of unknownCodecs(report)) terminal.err(`sobre: ${note}\n`);
    await terminal.out(formatReport(report, command.format));
    if (report.pairs.length === 0 && (command.against !== "lock" || report.locked === 0)) {
      terminal.err(
        command.against === undefined
          ? "sobre: no pair of versions was checked, which is a failure; give a subject two versions or name --against.\n"
          : `sobre: no pair of versions was checked, which is a failure; ${command.against} has no version of a subject that is here.\n`,
      );
      return contractExitCodes.misuse;
    }
    return exitCodeOf(report, command.strict);
  } catch (error) {
    return unreadable(error, terminal);
  }
}

/** A codec that is misspelt, or that is only elsewhere, has no row, which is not to go unnoticed. */
function unknownCodecs({ pairs }: CheckReport): ReadonlySet<string> {
  const known = [...witnessCodecs().map(({ name }) => name), "protobuf"];
  const notes = pairs.flatMap(({ subject }) =>
    subject.codecs
      .filter((codec) => !known.includes(codec))
      .map(
        (codec) =>
          `${subject.name}: unknown codec \`${codec}\`, so it has no row. Expected one of: ${known.join(", ")}`,
      ),
  );
  return new Set(notes);
}

/** Compares two files; resolves to the exit code. */
export async function compareFiles(
  [older, newer]: readonly [string, string],
  options: Omit<CompatibilityOptions, "format" | "older" | "newer"> & {
    readonly strict: boolean;
    readonly report: ReportFormat;
  },
  terminal: Terminal,
): Promise<number> {
  const { strict, report: format, ...rest } = options;
  try {
    const isProto = newer.endsWith(".proto");
    if (older.endsWith(".proto") !== isProto)
      throw new Misuse(`${older} and ${newer} are of two formats; both must be .proto files, or neither`);
    const texts = [older, newer].map(readText);
    const [first, second] = texts.map((text, at) => (isProto ? text : parseSchema(text, at === 0 ? older : newer)));
    const result = await checkCompatibility({
      ...rest,
      format: isProto ? "protobuf" : "json-schema",
      older: first,
      newer: second,
      codecs: witnessCodecs(),
    });
    const version = (file: string, at: number) =>
      ({
        version: basename(file),
        file: basename(file),
        text: texts[at] ?? "",
        format: isProto ? "protobuf" : "json-schema",
        schema: at === 0 ? first : second,
      }) as const;
    const { direction = "backward", contentModel = "declared-writer", formats = "either", policy = "json" } = rest;
    const name = basename(dirname(resolve(newer)));
    const subject: Subject = { ...noSubject, name, direction, contentModel, formats, policy };
    const pair: CheckedPair = {
      subject,
      older: version(older, 0),
      newer: version(newer, 1),
      direction,
      result,
    };
    const report = { pairs: [pair], problems: [], locked: 0, folder: dirname(newer), strict };
    await terminal.out(formatReport(report, format));
    return exitCodeOf(report, strict);
  } catch (error) {
    return unreadable(error, terminal);
  }
}

const noSubject: Subject = {
  name: "",
  owner: "",
  codecs: [],
  direction: "backward",
  contentModel: "declared-writer",
  formats: "either",
  policy: "json",
  inFlight: [],
  envelope: { brokerProperties: {}, applicationProperties: {} },
  versions: [],
};

/** A misnamed version that was released elsewhere can only be renamed here. */
const skipMisnamed = { skipMisnamed: true };

async function reportOf({ folder, against, upcasters, strict }: CheckCommand): Promise<CheckReport> {
  const subjects = readSubjects(folderFiles(folder));
  const compared =
    against === undefined || against === "lock"
      ? []
      : pairsAgainst(subjects, readSubjects(otherFiles(against, folder), skipMisnamed), isElsewhere(against));
  const pairs = against === undefined ? subjects.flatMap(pairsWithin) : compared;
  const checked: CheckedPair[] = [];
  const upcast = await upcastsOf(upcasters);
  if (upcast !== undefined && subjects.every(({ contentModel }) => contentModel !== "upcast"))
    throw new Misuse('--upcasters: no subject has the contentModel "upcast" in its subject.json');
  for (const pair of pairs) checked.push(await checkPair(pair, { codecs: witnessCodecs(), upcast }));
  const lockFile = join(folder, "lock.json");
  if (against === "lock" && !existsSync(lockFile)) throw new Misuse(`${lockFile}: no such file`);
  const lock = existsSync(lockFile) ? parseLock(readText(lockFile)) : {};
  const locks = brokenLocks(subjects, lock);
  const waiverFile = join(folder, "waivers.json");
  const waivers = existsSync(waiverFile) ? parseWaivers(readText(waiverFile)) : [];
  const waived = applyWaivers(checked, waivers, { today: new Date().toISOString().slice(0, 10), against });
  const problems = [...locks, ...waived.problems];
  return { pairs: waived.pairs, problems, locked: Object.keys(lock).length, folder, strict };
}

/** Whether other services own what is compared with: an installed package is the other side, and no past of this one. */
function isElsewhere(against: string): boolean {
  return !against.startsWith("git:") && !existsSync(against);
}

function otherFiles(against: string, folder: string): SubjectFiles {
  if (against.startsWith("git:")) return gitFiles(against.slice("git:".length), folder);
  if (existsSync(against)) return folderFiles(against);
  try {
    const manifest = createRequire(join(process.cwd(), "package.json")).resolve(`${against}/package.json`);
    return folderFiles(join(dirname(manifest), "schemas"));
  } catch {
    throw new Misuse(`--against ${against}: neither git:REF, a folder, lock, nor an installed package`);
  }
}

function gitFiles(ref: string, folder: string): SubjectFiles {
  const git = (...args: readonly string[]): string => {
    try {
      return execFileSync("git", args, {
        cwd: folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        maxBuffer: 2 ** 26,
      });
    } catch {
      throw new Misuse(`git ${args[0] ?? ""}: ${ref} cannot be read`);
    }
  };
  // A reference must not be read as an option.
  if (ref.startsWith("-")) throw new Misuse(`--against git:${ref}: no reference`);
  return {
    list: () =>
      git("ls-tree", "-r", "--name-only", ref, ".")
        .split("\n")
        .filter((file) => file !== ""),
    read: (file) => git("show", `${ref}:./${file}`),
  };
}

function exitCodeOf(report: CheckReport, strict: boolean): number {
  if (countOf(report, "breaking") > 0 || report.problems.length > 0) return contractExitCodes.breaking;
  const isOpen = report.pairs.some(({ result, isWaived }) => result.verdict === "unproven" && isWaived !== true);
  return strict && isOpen ? contractExitCodes.unproven : contractExitCodes.proven;
}

/** The text of a file. @throws Misuse when it cannot be read. */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Misuse(fileProblem(file, error));
  }
}

/** A JSON Schema in a text. @throws SobreError `InvalidArgument` when it is not JSON. */
export function parseSchema(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SobreError("InvalidArgument", `${file} is not JSON.`, { cause: error });
  }
}

function unreadable(error: unknown, terminal: Terminal): number {
  if (!(error instanceof SobreError)) throw error;
  terminal.err(`sobre: ${error.message}${error.path === undefined ? "" : ` (${error.path})`}\n`);
  return contractExitCodes.unreadable;
}
