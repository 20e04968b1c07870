import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Envelope } from "../../envelope/envelope.ts";
import { envelopeFromJson } from "../../envelope/envelope-json.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import { type VersionFile, versionFile } from "../../message/schema-files.ts";
import { isObject } from "../json-schema/json-value.ts";
import type { ContentModel, Direction, ProtobufPolicy, TypeNamePolicy } from "../options.ts";
import type { FormatPolicy } from "../json-schema/formats.ts";

/** One version of a subject's schema: a file `<major>.<minor>.schema.json` or `<major>.<minor>.proto`. */
export interface SubjectVersion {
  readonly version: string;
  readonly format: "json-schema" | "protobuf";
  /** Path under the folder of subjects, with slashes. */
  readonly file: string;
  readonly text: string;
  /** The parsed JSON Schema, or the text of the .proto file. */
  readonly schema: unknown;
}

/** The versions that a service sends and reads. */
export interface ServiceVersions {
  readonly service: string;
  readonly produces: readonly string[];
  readonly consumes: readonly string[];
}

/** A subject: the versions of one message type, and how they are compared. */
export interface Subject {
  readonly name: string;
  readonly owner: string;
  readonly codecs: readonly string[];
  readonly direction: Direction;
  readonly contentModel: ContentModel;
  readonly formats: FormatPolicy;
  readonly policy: ProtobufPolicy;
  /** Whether the names of Protobuf message types travel with messages, so that readers look for them. */
  readonly typeName: TypeNamePolicy;
  /** Whether an upcaster that passed its search is enough. */
  readonly tested: "allow" | "refuse";
  /** Codes of findings that are not reported. */
  readonly ignore: readonly string[];
  readonly inFlight: readonly ServiceVersions[];
  /** The properties that producers set: broker properties except the content type, and application properties. */
  readonly envelope: Pick<Envelope, "brokerProperties" | "applicationProperties">;
  /** Oldest first. */
  readonly versions: readonly SubjectVersion[];
}

/** Gives the text of a file under the folder of subjects, and lists such files. */
export interface SubjectFiles {
  list(): readonly string[];
  read(file: string): string;
}

/** The files of a folder. @throws SobreError `InvalidArgument` when there is no such folder. */
export function folderFiles(folder: string): SubjectFiles {
  return {
    list() {
      try {
        return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"));
      } catch (error) {
        throw new SobreError("InvalidArgument", `Cannot read the folder of subjects ${folder}.`, { cause: error });
      }
    },
    // Some editors begin a file with a byte order mark.
    read: (file) => readFileSync(join(folder, file), "utf8").replace(/^\u{FEFF}/u, ""),
  };
}

/**
 * Reads every subject: a folder with a `subject.json`, or with at least one version.
 *
 * @throws SobreError `InvalidArgument` naming the file that cannot be read, or that is a schema and not named as a version.
 */
export function readSubjects(
  files: SubjectFiles,
  { skipMisnamed = false }: { readonly skipMisnamed?: boolean } = {},
): readonly Subject[] {
  const versions = new Map<string, SubjectVersion[]>();
  const settings = new Set<string>();
  for (const file of files.list().toSorted()) {
    const cut = file.lastIndexOf("/");
    const [subject, name] = [file.slice(0, Math.max(0, cut)), file.slice(cut + 1)];
    if (subject === "") continue;
    if (name === "subject.json") settings.add(subject);
    const version = versionFile(name);
    if (version === undefined) {
      if (!skipMisnamed && isMisnamed(name)) throw misnamed(file);
      continue;
    }
    const made = versionOf(files, file, version);
    versions.set(subject, [...(versions.get(subject) ?? []), made]);
  }
  return Array.from(new Set([...versions.keys(), ...settings]), (name) => {
    const file = `${name}/subject.json`;
    const own = settings.has(name) ? parseJson(files.read(file), file) : {};
    return subjectOf(
      name,
      own,
      (versions.get(name) ?? []).toSorted((a, b) => compareVersions(a.version, b.version)),
    );
  });
}

/** Whether a name is meant for a schema, e.g. `v1.0.schema.json`, `1.9.json` or `latest.schema.json`. */
function isMisnamed(name: string): boolean {
  return /\.(?:schema\.json|proto)$/i.test(name) || /^v?\d+(?:\.\d+)*(?:-.*)?\.json$/i.test(name);
}

/** A misnamed version would silently stay unchecked. */
function misnamed(file: string): SobreError {
  return new SobreError(
    "InvalidArgument",
    `${file} is not named like a version. Name it MAJOR.MINOR.schema.json or MAJOR.MINOR.proto, e.g. 1.0.schema.json.`,
  );
}

function versionOf(files: SubjectFiles, file: string, { version, format }: VersionFile): SubjectVersion {
  const text = files.read(file);
  return { version, file, text, format, schema: format === "protobuf" ? text : parseJson(text, file) };
}

/** The value of a JSON file. @throws SobreError `InvalidArgument` when it is not JSON. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SobreError("InvalidArgument", `${file} is not JSON.`, { cause: error });
  }
}

/** A subject with the settings of its subject.json. @throws SobreError `InvalidArgument` for a wrong one. */
export function subjectOf(name: string, settings: unknown, versions: readonly SubjectVersion[]): Subject {
  const wrong = (what: string): SobreError => new SobreError("InvalidArgument", `${name}/subject.json: ${what}.`);
  if (!isObject(settings)) throw wrong("it must hold an object");
  const policy = settings["policy"] ?? {};
  if (!isObject(policy)) throw wrong("policy must be an object");
  // A misspelt member would silently change nothing.
  for (const [holder, known] of [
    [settings, settingNames],
    [policy, policyNames],
  ] as const) {
    const other = Object.keys(holder).find((member) => !known.includes(member));
    if (other !== undefined) throw wrong(`unknown member \`${other}\`. Expected one of: ${known.join(", ")}`);
  }
  const list = (value: unknown, member: string): readonly string[] => {
    if (value === undefined) return [];
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    throw wrong(`${member} must be a list of strings`);
  };
  const released = (value: unknown, member: string): readonly string[] => {
    const listed = list(value, member);
    const gone = listed.find((one) => !versions.some(({ version }) => version === one));
    if (gone === undefined) return listed;
    throw wrong(`${member} names the version ${gone}, which does not exist`);
  };
  const { inFlight = [] } = settings;
  if (!Array.isArray(inFlight) || !inFlight.every(isObject)) throw wrong("inFlight must be a list of services");
  for (const service of inFlight) {
    if (typeof service["service"] !== "string")
      throw wrong("inFlight: every entry needs `service`, the name of the service");
    const other = Object.keys(service).find((member) => !serviceNames.includes(member));
    if (other !== undefined)
      throw wrong(`inFlight: unknown member \`${other}\`. Expected one of: ${serviceNames.join(", ")}`);
  }
  const { owner = "" } = settings;
  if (typeof owner !== "string") throw wrong("owner must be a string");
  const chosen = <const Value extends string>(key: string, known: readonly [Value, ...Value[]]): Value => {
    const value = policy[key] ?? known[0];
    const found = known.find((one) => one === value);
    if (found !== undefined) return found;
    throw wrong(`policy.${key} must be one of ${known.join(", ")}`);
  };
  return {
    name,
    owner,
    codecs: list(settings["codecs"], "codecs"),
    direction: chosen("direction", ["backward", "forward", "full"]),
    contentModel: chosen("contentModel", ["declared-writer", "as-written", "upcast"]),
    formats: chosen("formats", ["either", "annotation", "assertion"]),
    policy: chosen("protobuf", ["json", "wire", "source"]),
    typeName: chosen("typeName", ["travels", "agreed"]),
    tested: chosen("tested", ["allow", "refuse"]),
    ignore: list(policy["ignore"], "policy.ignore"),
    inFlight: inFlight.map(({ service, produces, consumes }) => ({
      service: typeof service === "string" ? service : "",
      produces: released(produces, "produces"),
      consumes: released(consumes, "consumes"),
    })),
    envelope: envelopeOf(settings["envelope"], wrong),
    versions,
  };
}

const settingNames = ["owner", "codecs", "policy", "inFlight", "envelope", "$schema", "$comment"];
const serviceNames = ["service", "produces", "consumes", "$comment"];
const policyNames = ["direction", "contentModel", "formats", "protobuf", "typeName", "tested", "ignore"];

function envelopeOf(value: unknown, wrong: (what: string) => SobreError): Subject["envelope"] {
  if (value === undefined) return { brokerProperties: {}, applicationProperties: {} };
  if (!isObject(value)) throw wrong("envelope must be an object");
  const { brokerProperties, applicationProperties, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw wrong(`envelope: unknown member \`${other}\`. Expected one of: brokerProperties, applicationProperties`);
  try {
    const made = envelopeFromJson({ payload: { $bytes: "" }, brokerProperties, applicationProperties });
    if (made.brokerProperties.contentType === undefined) return made;
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    throw wrong(`envelope: ${error.message.replace(/\.$/, "")}`);
  }
  throw wrong("envelope: the content type is the codec's");
}

/** A text with the line ends of no system. */
export function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** The number before the dot of a version. */
export function majorOf(version: string): number {
  return Number(version.split(".")[0]);
}

/** Orders versions by their numbers. */
export function compareVersions(a: string, b: string): number {
  const [[aMajor = 0, aMinor = 0], [bMajor = 0, bMinor = 0]] = [a.split(".").map(Number), b.split(".").map(Number)];
  return aMajor - bMajor || aMinor - bMinor;
}
