import type { Envelope } from "../../core/envelope/envelope.ts";
import { envelopeFromJson } from "../../core/envelope/envelope-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { isForImports } from "../sources/schema-part.ts";
import { isObject } from "../json-schema/json-value.ts";
import type { ContentModel, Direction, ProtobufPolicy, TypeNamePolicy } from "../options.ts";
import { subjectSchema } from "./subject-settings.ts";
import { parseJson } from "../sources/exact-json.ts";
import { folderFiles, readOnce, type SubjectFiles } from "./subject-files.ts";
import { readVersions, refuseUnread, type SubjectVersion } from "./subject-version.ts";
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
  /** Whether the verdict `tested` is sufficient. */
  readonly tested: "allow" | "refuse";
  /** Codes of findings to ignore. */
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
  { skipUnread = false }: { readonly skipUnread?: boolean } = {},
): readonly Subject[] {
  const files = readOnce(folder);
  const versions = readVersions(files);
  const settings = new Set(
    files
      .list()
      .filter((file) => /[^/]\/subject\.json$/.test(file) && !isForImports(file, files))
      .map((file) => file.slice(0, file.lastIndexOf("/"))),
  );
  if (!skipUnread) refuseUnread(files, versions);
  return Array.from(new Set([...versions.keys(), ...settings].toSorted()), (name) => {
    const file = `${name}/subject.json`;
    const own = settings.has(name) ? parseJson(files.read(file), file) : {};
    return subjectOf(name, own, versions.get(name) ?? []);
  });
}

/** Every subject of a folder. @throws SobreError as {@link readSubjects}, and when there is no such folder. */
export const subjectsOfFolder = (folder: string): readonly Subject[] => readSubjects(folderFiles(folder));

/** A subject with the settings of its subject.json. @throws SobreError `InvalidArgument` for a wrong one. */
export function subjectOf(name: string, settings: unknown, versions: readonly SubjectVersion[]): Subject {
  const wrong = (what: string): SobreError => new SobreError("InvalidArgument", `${name}/subject.json: ${what}.`);
  if (!isObject(settings)) throw wrong("it must hold an object");
  const { policy = {}, inFlight = [], owner = "" } = settings;
  if (!isObject(policy)) throw wrong("policy must be an object");
  // A misspelt member would silently have no effect.
  for (const [holder, known] of [
    [settings, namesIn(subjectSchema)],
    [policy, namesIn(policySchema)],
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
  if (!Array.isArray(inFlight) || !inFlight.every(isObject)) throw wrong("inFlight must be a list of services");
  for (const service of inFlight) {
    if (typeof service["service"] !== "string")
      throw wrong("inFlight: every entry needs `service`, the name of the service");
    const known = namesIn(servicesSchema.items);
    const other = Object.keys(service).find((member) => !known.includes(member));
    if (other !== undefined) throw wrong(`inFlight: unknown member \`${other}\`. Expected one of: ${known.join(", ")}`);
  }
  if (typeof owner !== "string") throw wrong("owner must be a string");
  const chosen = <const Value extends string>(
    key: string,
    { enum: known, default: usual }: { readonly enum: readonly Value[]; readonly default: Value },
  ): Value => {
    const { [key]: value = usual } = policy;
    const found = known.find((one) => one === value);
    if (found !== undefined) return found;
    throw wrong(`policy.${key} must be one of ${known.join(", ")}`);
  };
  return {
    name,
    owner,
    codecs: list(settings["codecs"], "codecs"),
    direction: chosen("direction", choices.direction),
    contentModel: chosen("contentModel", choices.contentModel),
    formats: chosen("formats", choices.formats),
    policy: chosen("protobuf", choices.protobuf),
    typeName: chosen("typeName", choices.typeName),
    tested: chosen("tested", choices.tested),
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

const { policy: policySchema, inFlight: servicesSchema } = subjectSchema.properties;
const choices = policySchema.properties;

function namesIn({ properties }: { readonly properties: object }): readonly string[] {
  return Object.keys(properties);
}

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
