import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SobreError } from "../../errors/index.ts";
import { isObject } from "../json-schema/json-value.ts";
import type { ContentModel, Direction, ProtobufPolicy } from "../options.ts";
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

/** What a service has in flight: the versions it sends and those it reads. */
interface ServiceVersions {
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
  readonly inFlight: readonly ServiceVersions[];
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
        throw new SobreError("InvalidArgument", `There is no folder of subjects at ${folder}.`, { cause: error });
      }
    },
    read: (file) => readFileSync(join(folder, file), "utf8"),
  };
}

/**
 * Reads every subject: a folder with a `subject.json`, or with at least one version.
 *
 * @throws SobreError `InvalidArgument` naming the file that cannot be read.
 */
export function readSubjects(files: SubjectFiles): readonly Subject[] {
  const versions = new Map<string, SubjectVersion[]>();
  const settings = new Set<string>();
  for (const file of files.list().toSorted()) {
    const [, subject, version, extension] = /^(.+)\/(\d+\.\d+)\.(schema\.json|proto)$/.exec(file) ?? [];
    if (file.endsWith("/subject.json")) settings.add(file.slice(0, -"/subject.json".length));
    if (subject === undefined || version === undefined) continue;
    const made = versionOf(files, file, { version, isProto: extension === "proto" });
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

function versionOf(
  files: SubjectFiles,
  file: string,
  { version, isProto }: { readonly version: string; readonly isProto: boolean },
): SubjectVersion {
  const text = files.read(file);
  return {
    version,
    file,
    text,
    format: isProto ? "protobuf" : "json-schema",
    schema: isProto ? text : parseJson(text, file),
  };
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SobreError("InvalidArgument", `${file} is not JSON.`, { cause: error });
  }
}

function subjectOf(name: string, settings: unknown, versions: readonly SubjectVersion[]): Subject {
  if (!isObject(settings)) throw new SobreError("InvalidArgument", `${name}/subject.json must hold an object.`);
  const policy = isObject(settings["policy"]) ? settings["policy"] : {};
  const chosen = <const Value extends string>(key: string, known: readonly [Value, ...Value[]]): Value => {
    const value = policy[key] ?? known[0];
    const found = known.find((one) => one === value);
    if (found !== undefined) return found;
    throw new SobreError("InvalidArgument", `${name}/subject.json: policy.${key} must be one of ${known.join(", ")}.`);
  };
  return {
    name,
    owner: typeof settings["owner"] === "string" ? settings["owner"] : "",
    codecs: texts(settings["codecs"]),
    direction: chosen("direction", ["backward", "forward", "full"]),
    contentModel: chosen("contentModel", ["declared-writer", "as-written", "upcast"]),
    formats: chosen("formats", ["either", "annotation", "assertion"]),
    policy: chosen("protobuf", ["json", "wire", "source"]),
    inFlight: (Array.isArray(settings["inFlight"]) ? settings["inFlight"] : []).filter(isObject).map((entry) => ({
      service: typeof entry["service"] === "string" ? entry["service"] : "",
      produces: texts(entry["produces"]),
      consumes: texts(entry["consumes"]),
    })),
    versions,
  };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Orders versions by their numbers. */
export function compareVersions(a: string, b: string): number {
  const [[aMajor = 0, aMinor = 0], [bMajor = 0, bMinor = 0]] = [a.split(".").map(Number), b.split(".").map(Number)];
  return aMajor - bMajor || aMinor - bMinor;
}
