import type { Serializer } from "../../core/codec/serializer.ts";
import { parseContentType } from "../../core/content-type/content-type.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { readTypeClaim } from "../../core/message/type-property.ts";
import { canonicalJson, isObject } from "../json-schema/json-value.ts";
import { judgesOf } from "../json-schema/judges/judge.ts";
import { fromNative } from "../json-schema/samples/native-values.ts";
import { SchemaDocument } from "../json-schema/schema-document.ts";
import { lossOfBytes, problemOfJson } from "../protobuf/reading.ts";
import { openProtobufSchema } from "../protobuf/schema.ts";
import type { Subject } from "../subjects/subject.ts";
import { majorOf, type SubjectVersion } from "../subjects/subject-version.ts";
import { meetingsOf } from "../subjects/subject-pairs.ts";
import type { SubjectUpcast } from "../subjects/upcast-by.ts";
import type { GoldenMessage } from "./golden-message.ts";
import { messageTypeOf } from "./protobuf-samples.ts";

/** How a consumer version reads a producer version's messages in one codec. */
export interface MatrixCell {
  readonly subject: string;
  readonly producer: string;
  readonly consumer: string;
  readonly codec: string;
  /**
   * `hole`: nothing was recorded. `refused`: read, but invalid for the consumer. `unread`: it would be dead-lettered.
   */
  readonly outcome: "read" | "changed" | "refused" | "unread" | "hole";
  readonly detail: string;
  /** Whether these versions meet, so that the cell must be `read`. */
  readonly meets: boolean;
}

/** How consumers read. */
export interface MatrixOptions {
  /** The deserializer chain of a consumer. */
  readonly serializerOf: (subject: Subject, version: SubjectVersion) => Serializer;
  /** Converts an older version's body before the consumer validates it. Default: no conversion. */
  readonly upcast?: SubjectUpcast | undefined;
}

/** A cell before it is read, with the messages that were recorded for it. */
export interface PlannedCell extends Omit<MatrixCell, "outcome" | "detail"> {
  readonly messages: readonly GoldenMessage[];
  readonly meeting: MatrixMeeting;
}

/** Every combination of consumer version, producer version and codec. */
export function planMatrix(subjects: readonly Subject[], golden: readonly GoldenMessage[]): readonly PlannedCell[] {
  return subjects.flatMap((subject) => {
    const codecs = subject.codecs.length > 0 ? subject.codecs : ["json"];
    const meetings = meetingsOf(subject);
    return subject.versions.flatMap((producer) =>
      subject.versions.flatMap((consumer) =>
        codecs.map((codec): PlannedCell => ({
          subject: subject.name,
          producer: producer.version,
          consumer: consumer.version,
          codec,
          meets: meetings.some(({ writer, reader }) => writer === producer && reader === consumer),
          meeting: { subject, producer, consumer },
          messages: golden.filter(
            (message) =>
              message.subject === subject.name && message.version === producer.version && message.codec === codec,
          ),
        })),
      ),
    );
  });
}

/** Lets the consumer of a cell read its messages. */
export async function readCell(
  { messages, meeting, ...place }: PlannedCell,
  options: MatrixOptions,
): Promise<MatrixCell> {
  if (messages.length === 0) return { ...place, outcome: "hole", detail: "nothing was recorded" };
  return { ...place, ...(await outcomeOf(messages, meeting, options)) };
}

/** Lets every consumer version read every producer version's golden messages. */
export async function contractMatrix(
  subjects: readonly Subject[],
  golden: readonly GoldenMessage[],
  options: MatrixOptions,
): Promise<readonly MatrixCell[]> {
  return Promise.all(planMatrix(subjects, golden).map((cell) => readCell(cell, options)));
}

/** The failing cells: versions that meet but cannot read each other's messages; holes do not fail. */
export function failedCells(cells: readonly MatrixCell[]): readonly MatrixCell[] {
  return cells.filter(({ meets, outcome }) => meets && outcome !== "read" && outcome !== "hole");
}

interface MatrixMeeting {
  readonly subject: Subject;
  readonly producer: SubjectVersion;
  readonly consumer: SubjectVersion;
}

async function outcomeOf(
  messages: readonly GoldenMessage[],
  meeting: MatrixMeeting,
  options: MatrixOptions,
): Promise<Pick<MatrixCell, "outcome" | "detail">> {
  const { subject, consumer } = meeting;
  const serializer = options.serializerOf(subject, consumer);
  for (const message of messages) {
    const { envelope, expected, name, codec } = message;
    const result = serializer.deserialize(envelope);
    if (!result.ok)
      return { outcome: "unread", detail: `${name}: dead letter, ${result.error.code}: ${result.error.message}` };
    if (result.codec !== codec)
      return { outcome: "changed", detail: `${name}: read by ${result.codec} instead of ${codec}` };
    const claim = claimProblem(envelope, meeting) ?? metadataProblem(message, meeting);
    if (claim !== undefined) return { outcome: "changed", detail: `${name}: ${claim}` };
    if (consumer.format === "protobuf") {
      const loss =
        codec === "json"
          ? jsonLoss(meeting, result.body, messageTypeOf(name))
          : lossBetween(meeting, envelope.payload, result.typeName);
      if (loss !== undefined) return { outcome: "changed", detail: `${name}: ${loss}` };
      continue;
    }
    if (canonicalJson(valueToJson(result.body)) !== canonicalJson(expected))
      return { outcome: "changed", detail: `${name}: another value than was recorded` };
    const refusal = await refusalOf(meeting, result.body, options);
    if (refusal !== undefined) return { outcome: "refused", detail: `${name}: ${refusal}` };
  }
  return { outcome: "read", detail: `${messages.length} messages` };
}

/** A contradiction between the envelope's type or version and the folder the message is in. */
function claimProblem(envelope: Envelope, { subject, producer }: MatrixMeeting): string | undefined {
  const { contentType } = envelope.brokerProperties;
  const claim = readTypeClaim(envelope, contentType === undefined ? undefined : parseContentType(contentType));
  if (claim.declared !== undefined && claim.declared !== subject.name)
    return `the envelope names the type ${claim.declared}`;
  if (claim.version !== undefined && claim.version !== majorOf(producer.version))
    return `the envelope names the version ${claim.version}`;
  return undefined;
}

/** A property that subject.json requires and that the recorded envelope lacks or has with another value; no value is shown. */
function metadataProblem({ envelope, isWhole }: GoldenMessage, { subject }: MatrixMeeting): string | undefined {
  if (!isWhole) return undefined;
  for (const part of ["brokerProperties", "applicationProperties"] as const) {
    const own = new Map(Object.entries(envelope[part]));
    for (const [name, value] of Object.entries(subject.envelope[part]))
      if (!own.has(name) || canonicalJson(valueToJson(own.get(name))) !== canonicalJson(valueToJson(value)))
        return `the envelope ${own.has(name) ? "has another" : "has no"} ${name} than subject.json says`;
  }
  return undefined;
}

/** The first field of a Protobuf message that the consumer reads differently; fields are compared, since numbers may have become wider. */
function lossBetween(
  { producer, consumer }: MatrixMeeting,
  payload: Uint8Array,
  typeName: string | undefined,
): string | undefined {
  const [writer, reader] = [openProtobufSchema(producer.schema), openProtobufSchema(consumer.schema)];
  const [sent, received] = [writer.messages.get(typeName ?? ""), reader.messages.get(typeName ?? "")];
  if (sent === undefined || received === undefined) return `no message type ${typeName ?? "is named"}`;
  return lossOfBytes(payload, { schema: writer, shape: sent }, { schema: reader, shape: received })?.outcome;
}

/** Why the consumer does not take the JSON form of a Protobuf message. */
function jsonLoss({ producer, consumer }: MatrixMeeting, body: unknown, typeName: string): string | undefined {
  const [sent, received] = [producer, consumer].map(({ schema }) => openProtobufSchema(schema).messages.get(typeName));
  if (sent === undefined || received === undefined || !isObject(body)) return `no message of the type ${typeName}`;
  return problemOfJson(body, sent, received);
}

/** Why the consumer does not take a body, once it has the form that JSON Schemas describe and is upcast. */
async function refusalOf(
  { subject, producer, consumer }: MatrixMeeting,
  body: unknown,
  { upcast }: MatrixOptions,
): Promise<string | undefined> {
  const sent =
    producer.format === "json-schema" ? fromNative(new SchemaDocument(producer.schema, producer.version), body) : body;
  const [judge] = judgesOf(new SchemaDocument(consumer.schema, consumer.version), {
    side: "reader",
    policy: "annotation",
    siblings: false,
    circular: new Set(),
  });
  try {
    const read = (await upcast?.(subject, sent, { from: producer.version, to: consumer.version })) ?? sent;
    const refusal = judge?.(read);
    return refusal === undefined ? undefined : `${refusal.instancePath || "/"} ${refusal.message}`;
  } catch (error) {
    if (error instanceof RangeError && upcast === undefined)
      return "the validator does not end on the consumer's schema";
    return `the upcaster throws ${error instanceof SobreError ? `${error.code}: ${error.message}` : "an error"}`;
  }
}
