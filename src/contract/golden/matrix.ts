import type { Serializer } from "../../codec/index.ts";
import { valueToJson } from "../../envelope/index.ts";
import { metaSchema } from "../../validation/index.ts";
import { canonicalJson } from "../json-schema/json-value.ts";
import { judgesOf } from "../json-schema/judge.ts";
import { fromNative } from "../json-schema/native-values.ts";
import { SchemaDocument } from "../json-schema/schema-document.ts";
import { lossOfBytes } from "../protobuf/reading.ts";
import { openProtobufSchema } from "../protobuf/schema.ts";
import { compareVersions, type Subject, type SubjectVersion } from "../subjects/subject.ts";
import type { GoldenMessage } from "./golden-message.ts";

/** What a consumer version makes of a producer version's messages in one codec. */
export interface MatrixCell {
  readonly subject: string;
  readonly producer: string;
  readonly consumer: string;
  readonly codec: string;
  /** `hole`: nothing was recorded. `refused`: read, and not valid for the consumer. `unread`: it would be dead-lettered. */
  readonly outcome: "read" | "changed" | "refused" | "unread" | "hole";
  readonly detail: string;
  /** Whether these versions meet, so that the cell must be `read`. */
  readonly meets: boolean;
}

/** How consumers read. */
export interface MatrixOptions {
  /** The deserializer chain of a consumer. */
  readonly serializerOf: (subject: Subject, version: SubjectVersion) => Serializer;
  /** What the consumer makes of an older version's body before it is validated. Default: nothing. */
  readonly upcast?: (
    subject: Subject,
    body: unknown,
    versions: { readonly from: string; readonly to: string },
  ) => unknown;
}

/** Lets every consumer version read every producer version's golden messages. */
export function contractMatrix(
  subjects: readonly Subject[],
  golden: readonly GoldenMessage[],
  options: MatrixOptions,
): readonly MatrixCell[] {
  return subjects.flatMap((subject) => {
    const codecs = subject.codecs.length > 0 ? subject.codecs : ["json"];
    return subject.versions.flatMap((producer) =>
      subject.versions.flatMap((consumer) =>
        codecs.map((codec): MatrixCell => {
          const messages = golden.filter(
            (message) =>
              message.subject === subject.name && message.version === producer.version && message.codec === codec,
          );
          const place = {
            subject: subject.name,
            producer: producer.version,
            consumer: consumer.version,
            codec,
            meets: doMeet(subject, producer, consumer),
          };
          if (messages.length === 0) return { ...place, outcome: "hole", detail: "nothing was recorded" };
          return { ...place, ...read(messages, { subject, producer, consumer }, options) };
        }),
      ),
    );
  });
}

/** The cells that fail: versions that meet, and do not read each other's messages; holes are shown and do not fail. */
export function failedCells(cells: readonly MatrixCell[]): readonly MatrixCell[] {
  return cells.filter(({ meets, outcome }) => meets && outcome !== "read" && outcome !== "hole");
}

interface Meeting {
  readonly subject: Subject;
  readonly producer: SubjectVersion;
  readonly consumer: SubjectVersion;
}

function read(
  messages: readonly GoldenMessage[],
  meeting: Meeting,
  options: MatrixOptions,
): Pick<MatrixCell, "outcome" | "detail"> {
  const { subject, producer, consumer } = meeting;
  const serializer = options.serializerOf(subject, consumer);
  for (const { envelope, expected, name, codec } of messages) {
    const result = serializer.deserialize(envelope);
    if (!result.ok)
      return { outcome: "unread", detail: `${name}: dead letter, ${result.error.code}: ${result.error.message}` };
    if (result.codec !== codec)
      return { outcome: "changed", detail: `${name}: read by ${result.codec} instead of ${codec}` };
    if (consumer.format === "protobuf") {
      const loss = lossBetween(producer, consumer, envelope.payload, result.typeName);
      if (loss !== undefined) return { outcome: "changed", detail: `${name}: ${loss}` };
      continue;
    }
    if (canonicalJson(valueToJson(result.body)) !== canonicalJson(expected))
      return { outcome: "changed", detail: `${name}: another value than was recorded` };
    const sent = jsonFormOf(producer, result.body);
    const body = options.upcast?.(subject, sent, { from: producer.version, to: consumer.version }) ?? sent;
    const refusal = refusalOf(consumer, body);
    if (refusal !== undefined) return { outcome: "refused", detail: `${name}: ${refusal}` };
  }
  return { outcome: "read", detail: `${messages.length} messages` };
}

/** What of a Protobuf message the consumer reads differently: numbers may have become wider, so fields are compared. */
function lossBetween(
  producer: SubjectVersion,
  consumer: SubjectVersion,
  payload: Uint8Array,
  typeName: string | undefined,
): string | undefined {
  const [writer, reader] = [openProtobufSchema(producer.schema), openProtobufSchema(consumer.schema)];
  const [sent, received] = [writer.messages.get(typeName ?? ""), reader.messages.get(typeName ?? "")];
  if (sent === undefined || received === undefined) return `no message type ${typeName ?? "is named"}`;
  return lossOfBytes(payload, { schema: writer, shape: sent }, { schema: reader, shape: received })?.outcome;
}

/** The body as its schema describes it, whatever types the codec had for it. */
function jsonFormOf({ format, schema, version }: SubjectVersion, body: unknown): unknown {
  return format === "json-schema" ? fromNative(new SchemaDocument(schema, version, metaSchema), body) : body;
}

function refusalOf({ format, schema, version }: SubjectVersion, body: unknown): string | undefined {
  if (format !== "json-schema") return undefined;
  const document = new SchemaDocument(schema, `consumer ${version}`, metaSchema);
  const [judge] = judgesOf(document, { policy: "annotation", siblings: false, circular: new Set() });
  const refusal = judge?.(body);
  return refusal === undefined ? undefined : `${refusal.instancePath || "/"} ${refusal.message}`;
}

function doMeet({ inFlight }: Subject, producer: SubjectVersion, consumer: SubjectVersion): boolean {
  if (inFlight.length === 0) return compareVersions(producer.version, consumer.version) <= 0;
  return (
    inFlight.some(({ produces }) => produces.includes(producer.version)) &&
    inFlight.some(({ consumes }) => consumes.includes(consumer.version))
  );
}
