import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkCompatibility } from "../check-compatibility.ts";
import { nextVersion } from "../next-version.ts";
import { isSameMeaning } from "../json-schema/meaning.ts";
import type { Subject } from "./subject.ts";
import { majorOf, type SubjectVersion } from "./subject-version.ts";
import { type SubjectFinding, subjectFinding } from "./subject-changes.ts";

/** A schema that the code of a service has for a subject. */
export interface CodeSchema {
  readonly subject: string;
  /** Default: the subject's newest. */
  readonly major?: number;
  /** A JSON Schema, or the text of a .proto file. */
  readonly schema: unknown;
  readonly isProto?: boolean;
}

/**
 * The differences in meaning between the code and the newest file of each version, with a message that only one of the two
 * accepts. Annotations, e.g. descriptions, make no difference.
 *
 * @throws SobreError `InvalidArgument` for a schema that cannot be read.
 */
export async function codeDifferences(
  schemas: readonly CodeSchema[],
  subjects: readonly Subject[],
): Promise<readonly SubjectFinding[]> {
  const findings: SubjectFinding[] = [];
  for (const code of schemas) {
    const { subject: name, major } = code;
    const subject = subjects.find((one) => one.name === name);
    const released = subject?.versions.findLast(({ version }) => major === undefined || majorOf(version) === major);
    if (released === undefined) {
      const what = subject === undefined ? name : `version ${major ?? 1} of ${name}`;
      const message = `The code has ${what}, and no schema file describes it.`;
      const repair = "Run sobre contract init --from with the same module.";
      const file = `${name}/subject.json`;
      findings.push(subjectFinding({ subject: name, code: "code-without-schema", message, repair, file }));
      continue;
    }
    const difference = await differenceOf(code, released);
    if (difference === undefined) continue;
    findings.push(
      subjectFinding({
        subject: name,
        code: "code-differs",
        message: `The code of ${name} differs from ${released.file}: ${difference.message}`,
        repair: `Run sobre contract init --from with the same module to add a version, or undo the edit of the code. ${await suggestion(code, released)}`,
        file: released.file,
        ...(difference.witness === undefined ? {} : { witness: difference.witness }),
      }),
    );
  }
  return [...findings, ...unreadMajors(schemas, subjects)];
}

/** Warnings about majors that have files and that the code no longer reads, though messages of them may be in flight. */
function unreadMajors(schemas: readonly CodeSchema[], subjects: readonly Subject[]): readonly SubjectFinding[] {
  const code = "code-lacks-version";
  return subjects.flatMap(({ name, versions, inFlight, ignore }) => {
    const majors = schemas.flatMap(({ subject, major }) => (subject === name && major !== undefined ? [major] : []));
    const listed = new Set(inFlight.flatMap(({ produces, consumes }) => [...produces, ...consumes]));
    const missing = versions.filter(
      ({ version }) => !majors.includes(majorOf(version)) && (inFlight.length === 0 || listed.has(version)),
    );
    if (majors.length === 0 || ignore.includes(code)) return [];
    return Array.from(new Set(missing.map(({ version }) => majorOf(version))), (major) =>
      subjectFinding({
        subject: name,
        code,
        severity: "warning",
        message: `The code of ${name} has no version ${major}, and schema files of it count as in flight.`,
        repair: `Keep version ${major} with an upcaster, or list in inFlight of subject.json which versions services send and read.`,
        file: versions.findLast(({ version }) => majorOf(version) === major)?.file ?? `${name}/subject.json`,
      }),
    );
  });
}

/** The number that the version of the code should get: a minor one when it reads the messages of the file. */
async function suggestion({ schema, isProto }: CodeSchema, released: SubjectVersion): Promise<string> {
  const format = isProto === true ? "protobuf" : "json-schema";
  if (format !== released.format) return "Give the new format its own subject.";
  const { verdict } = await checkCompatibility({ format, older: released.schema, newer: schema });
  const [major = 0, minor = 0] = released.version.split(".").map(Number);
  if (nextVersion(verdict, released, { format, schema }) !== "major")
    return `It reads every message of ${released.version}: the next version is ${major}.${minor + 1}.`;
  const why = verdict === "breaking" ? "does not read every message" : "is not proven to read every message";
  return `It ${why} of ${released.version}: the next version is ${major + 1}.0, with an upcaster.`;
}

type Difference = Pick<SubjectFinding, "message" | "witness">;

async function differenceOf(code: CodeSchema, released: SubjectVersion): Promise<Difference | undefined> {
  const format = code.isProto === true ? "protobuf" : "json-schema";
  if (format !== released.format) return { message: "the two are of different formats." };
  if (isSameMeaning(code.schema, released.schema)) return undefined;
  const versions = { older: released.schema, newer: code.schema };
  const {
    verdict,
    findings,
    tried = [],
  } = await checkCompatibility({
    format,
    ...versions,
    direction: "full",
    contentModel: "as-written",
    formats: "assertion",
    policy: "source",
  }).catch((error: unknown) => {
    if (!(error instanceof SobreError)) throw error;
    throw new SobreError(
      error.code,
      `The schema of ${code.subject} in the code, or ${released.file}: ${error.message}`,
    );
  });
  if (verdict === "safe") return undefined;
  const [finding] = findings;
  if (finding === undefined) return { message: `nothing proves that they mean the same (${tried.join("; ")}).` };
  const { witness, writer, message } = finding;
  if (witness === undefined) return { message };
  const [sender, reader] = writer === "newer" ? ["the code", "the file"] : ["the file", "the code"];
  return {
    message: `${sender} accepts ${JSON.stringify(witness.value)}, and ${reader} does not.`,
    witness: { value: witness.value, outcome: witness.outcome },
  };
}
