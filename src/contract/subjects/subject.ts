import type { Envelope } from "../../envelope/envelope.ts";
import { envelopeFromJson } from "../../envelope/envelope-json.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import { isForImports } from "../sources/schema-part.ts";
import { isObject } from "../json-schema/json-value.ts";
import type { ContentModel, Direction, ProtobufPolicy, TypeNamePolicy } from "../options.ts";
import { parseJson, readOnce, type SubjectFiles } from "./subject-files.ts";
import { readVersions, refuseMisnamed, type SubjectVersion } from "./subject-version.ts";
import type { FormatPolicy } from "../json-schema/formats.ts";

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

/**
 * Reads every subject: a folder with a `subject.json`, or with at least one version.
 *
 * @throws SobreError `InvalidArgument` naming the file that cannot be read, that lacks what it refers to, or that is a schema
 *   and neither named as a version nor referred to by one.
 */
export function readSubjects(
  folder: SubjectFiles,
  { skipMisnamed = false }: { readonly skipMisnamed?: boolean } = {},
): readonly Subject[] {
  const files = readOnce(folder);
  const versions = readVersions(files);
  const settings = new Set(
    files
      .list()
      .filter((file) => /[^/]\/subject\.json$/.test(file) && !isForImports(file))
      .map((file) => file.slice(0, file.lastIndexOf("/"))),
  );
  if (!skipMisnamed) refuseMisnamed(files, versions);
  return Array.from(new Set([...versions.keys(), ...settings].toSorted()), (name) => {
    const file = `${name}/subject.json`;
    const own = settings.has(name) ? parseJson(files.read(file), file) : {};
    return subjectOf(name, own, versions.get(name) ?? []);
  });
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
