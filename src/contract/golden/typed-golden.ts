import type { Serializer } from "../../core/codec/serializer.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { MessageType } from "../../core/message/message-type.ts";
import { createTypeReader } from "../../core/message/type-reader.ts";
import { isPlainObject } from "../../core/values/plain-object.ts";
import { valueFromJson } from "../../core/values/value-json-reading.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { canonicalJson } from "../json-schema/json-value.ts";
import { judgesOf } from "../json-schema/judges/judge.ts";
import { fromNative } from "../json-schema/samples/native-values.ts";
import { escapeToken, SchemaDocument } from "../json-schema/schema-document.ts";
import type { Subject } from "../subjects/subject.ts";
import { majorOf, type SubjectVersion } from "../subjects/subject-version.ts";
import { type SubjectFinding, subjectFinding } from "../subjects/subject-changes.ts";
import type { GoldenMessage } from "./golden-message.ts";

/** The reader of a golden message: the message types of the code, and the serializer of the version. */
interface TypedReader {
  readonly types: readonly MessageType[];
  readonly serializer: Serializer;
  readonly subject: Subject | undefined;
}

/**
 * Why the message types of the code do not read a golden message as it was meant, in the way receivers read it; `undefined` when
 * they do. A message of the latest major must have every member that was recorded, with its value; one of an older
 * major must become valid by the newest file.
 */
export async function typedProblem(
  message: GoldenMessage,
  { types, serializer, subject }: TypedReader,
): Promise<string | undefined> {
  const { envelope, expected, version } = message;
  const result = serializer.deserialize(envelope);
  if (!result.ok) return `${result.error.code}: ${result.error.message}`;
  const read = await createTypeReader(types)(envelope, result);
  if (!read.ok) return `${read.error.code}: ${read.error.message}`;
  const latest = types.find(({ name }) => name === read.messageType)?.latestVersion;
  const released = subject?.versions.find((one) => one.version === version);
  const newest = subject?.versions.findLast((one) => majorOf(one.version) === latest);
  if (released?.format !== "json-schema" || newest?.format !== "json-schema") return undefined;
  if (majorOf(version) === latest) {
    const document = new SchemaDocument(released.schema, released.version);
    const [meant, got] = [valueFromJson(expected), read.body].map((value) => fromNative(document, value));
    return differenceAt(meant, got, "");
  }
  const [judge] = judgesOf(new SchemaDocument(newest.schema, newest.version), readingOfFiles);
  const refusal = judge?.(fromNative(new SchemaDocument(newest.schema, newest.version), read.body));
  return refusal === undefined
    ? undefined
    : `the upcaster makes what ${newest.file} refuses: ${refusal.instancePath || "/"} ${refusal.message}`;
}

const readingOfFiles = { side: "reader", policy: "annotation", siblings: false, circular: new Set<string>() } as const;

/** Where a value that was read is not the one recorded; members may be added to it, as defaults are. */
function differenceAt(meant: unknown, got: unknown, pointer: string): string | undefined {
  if (Array.isArray(meant) && Array.isArray(got) && meant.length === got.length)
    return first(meant.keys(), (at) => differenceAt(meant[at], got[at], `${pointer}/${at}`));
  if (isPlainObject(meant) && isPlainObject(got))
    return first(Object.keys(meant), (name) =>
      Object.hasOwn(got, name) || meant[name] === undefined
        ? differenceAt(meant[name], got[name], `${pointer}/${escapeToken(name)}`)
        : `${pointer}/${escapeToken(name)} is gone`,
    );
  const isSame = canonicalJson(valueToJson(meant)) === canonicalJson(valueToJson(got));
  return isSame ? undefined : `${pointer || "/"} is read as another value`;
}

function first<Item>(items: Iterable<Item>, find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The golden messages that the message types of the code do not read as they were meant, upcasters and chain included. */
export async function unreadByTypes(
  golden: readonly GoldenMessage[],
  types: readonly MessageType[],
  {
    subjects,
    serializerOf,
  }: {
    readonly subjects: readonly Subject[];
    readonly serializerOf: (version: SubjectVersion | undefined) => Serializer;
  },
): Promise<readonly SubjectFinding[]> {
  const findings: SubjectFinding[] = [];
  for (const message of golden) {
    const { subject, version, codec, name } = message;
    const own = types.filter((type) => type.name === subject);
    if (own.length === 0) continue;
    const released = subjects.find((one) => one.name === subject);
    const file = released?.versions.find((one) => one.version === version);
    const reader = { types: own, serializer: serializerOf(file), subject: released };
    const problem = await typedProblem(message, reader).catch((error: unknown) => {
      if (error instanceof SobreError) return error.message;
      throw error;
    });
    if (problem === undefined) continue;
    findings.push(
      subjectFinding({
        subject,
        code: "golden-unread",
        message: `The code of ${subject} does not read the golden message ${version}/${codec}/${name}: ${problem}`,
        repair: "Messages like it may be in flight: read them, or give the message type an upcaster.",
        file: file?.file ?? `${subject}/subject.json`,
      }),
    );
  }
  return findings;
}
