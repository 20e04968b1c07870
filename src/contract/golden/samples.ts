import type { Serializer } from "../../codec/serializer.ts";
import type { BrokerProperties } from "../../envelope/broker-properties.ts";
import { createEnvelope, type Envelope } from "../../envelope/envelope.ts";
import { valueToJson } from "../../values/value-json.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import { typeProperty, versionProperty } from "../../message/type-property.ts";
import { metaSchema } from "../../json-schema/ajv.ts";
import { chooseSamplesWithin } from "../json-schema/bounded-comparison.ts";
import { canonicalJson } from "../json-schema/json-value.ts";
import { fromNative, toNative } from "../json-schema/native-values.ts";
import { SchemaDocument } from "../json-schema/schema-document.ts";
import { keySamples, samplesOf } from "../protobuf/kinds.ts";
import { openProtobufSchema, type ProtobufSchema } from "../protobuf/schema.ts";
import type { MessageShape } from "../protobuf/shape.ts";
import type { Subject } from "../subjects/subject.ts";
import { majorOf, type SubjectVersion } from "../subjects/subject-version.ts";
import { hasNativeValues } from "../witness.ts";
import type { GoldenMessage } from "./golden-message.ts";

/** A codec by name, with the content type that makes a serializer choose it. */
export interface RecordingCodec {
  readonly name: string;
  readonly contentType: string;
}

/** Steps for the values of one version. */
const budget = 5_000_000;

/**
 * Golden messages of a version: of a JSON Schema the simplest and the richest value that was found, of a .proto file a
 * message of each type. None when nothing was found within the budget of steps.
 *
 * @throws SobreError `InvalidArgument` for a broken schema.
 */
export async function samplesOfVersion(
  subject: Subject,
  version: SubjectVersion,
  { serializer, codecs }: { readonly serializer: Serializer; readonly codecs: readonly RecordingCodec[] },
): Promise<readonly GoldenMessage[]> {
  if (version.format === "protobuf") return protobufSamples(subject, version, serializer);
  const { schema } = version;
  const comparison = { writer: schema, reader: schema, declared: true, formats: subject.formats, budget };
  const chosen = await chooseSamplesWithin(comparison).catch((error: unknown) => {
    if (error instanceof SobreError && error.code === "LimitExceeded") return undefined;
    throw error;
  });
  return codecs.flatMap(({ name: codec, contentType }) =>
    Object.entries(chosen ?? {}).flatMap(([name, value]): readonly GoldenMessage[] => {
      const message = recorded(value, { name: codec, contentType }, { subject, version, serializer });
      return message === undefined
        ? []
        : [{ subject: subject.name, version: version.version, codec, name, isWhole: true, ...message }];
    }),
  );
}

function recorded(
  sample: unknown,
  codec: RecordingCodec,
  {
    subject,
    version,
    serializer,
  }: { readonly subject: Subject; readonly version: SubjectVersion; readonly serializer: Serializer },
): Pick<GoldenMessage, "envelope" | "expected"> | undefined {
  const document = new SchemaDocument(version.schema, version.version, metaSchema);
  const body = hasNativeValues(codec.name) ? toNative(document, sample) : sample;
  try {
    const envelope = serializer.serialize({ ...propertiesOf(subject, version), body, contentType: codec.contentType });
    const result = serializer.deserialize(envelope);
    // A value that changes on the round trip cannot serve as an expectation.
    const isKept = result.ok && canonicalJson(fromNative(document, result.body)) === canonicalJson(sample);
    return isKept ? { envelope, expected: valueToJson(result.body) } : undefined;
  } catch (error) {
    if (error instanceof SobreError) return undefined;
    throw error;
  }
}

/** The properties that the producer of a version sets besides the payload. */
function propertiesOf(
  { name, envelope }: Subject,
  { version }: SubjectVersion,
): BrokerProperties & Pick<Envelope, "applicationProperties"> {
  const applicationProperties = {
    ...envelope.applicationProperties,
    [typeProperty]: name,
    [versionProperty]: majorOf(version),
  };
  return { ...envelope.brokerProperties, applicationProperties };
}

/** One message of every type that is not inside another, with every field set. */
function protobufSamples(subject: Subject, version: SubjectVersion, serializer: Serializer): readonly GoldenMessage[] {
  const schema = openProtobufSchema(version.schema);
  const outer = Array.from(schema.messages.values()).filter(
    ({ name }) =>
      !schema.bundled.has(name) &&
      !schema.imported.has(name) &&
      !schema.messages.has(name.slice(0, Math.max(0, name.lastIndexOf(".")))),
  );
  return outer.flatMap((shape) => {
    const sent = encoded(schema, shape);
    if (sent === undefined) return [];
    const { applicationProperties, ...brokerProperties } = propertiesOf(subject, version);
    const envelope = createEnvelope({
      payload: sent,
      brokerProperties: { ...brokerProperties, contentType: `application/protobuf; messageType=${shape.name}` },
      applicationProperties,
    });
    const result = serializer.deserialize(envelope);
    if (!result.ok) throw result.error;
    const expected = valueToJson(result.body);
    const place = { subject: subject.name, version: version.version, codec: "protobuf", name: shape.name };
    return [{ ...place, envelope, expected, isWhole: true }];
  });
}

/** The bytes of a message with every field; none of one that cannot be sent. */
function encoded(schema: ProtobufSchema, shape: MessageShape): Uint8Array | undefined {
  try {
    const payload = schema.encode(shape.name, filled(shape));
    schema.decode(shape.name, payload);
    return payload;
  } catch {
    return undefined;
  }
}

/** More values than that make no sample. */
const mostValues = 2000;

function filled(
  { fields }: MessageShape,
  depth = 0,
  room: { left: number } = { left: mostValues },
): Readonly<Record<string, unknown>> {
  const taken = new Set<string>();
  return Object.fromEntries(
    fields.flatMap((field): readonly (readonly [string, unknown])[] => {
      const isTaken = field.oneof !== undefined && taken.has(field.oneof);
      // A message that requires itself has no end; the writer cannot send it.
      if (--room.left < 0 || depth > 100) return [];
      if (isTaken || (field.message !== undefined && depth > 3 && !field.required)) return [];
      if (field.oneof !== undefined) taken.add(field.oneof);
      const value = field.message === undefined ? samplesOf(field)[0] : filled(field.message, depth + 1, room);
      const one =
        field.label === "many"
          ? [value]
          : field.label === "map"
            ? { [keySamples(field.keyKind)[0] ?? ""]: value }
            : value;
      return value === undefined ? [] : [[field.name, one]];
    }),
  );
}
