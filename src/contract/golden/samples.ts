import { messageProperties } from "../../core/message/message-properties.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { coverSamplesWithin } from "../json-schema/bounded-comparison.ts";
import { canonicalJson } from "../json-schema/json-value.ts";
import { fromNative, toNative } from "../json-schema/samples/native-values.ts";
import { SchemaDocument } from "../json-schema/schema-document.ts";
import type { Subject } from "../subjects/subject.ts";
import { majorOf, type SubjectVersion } from "../subjects/subject-version.ts";
import { hasNativeValues } from "../witness.ts";
import type { GoldenMessage, ProducerProperties, RecordingCodec } from "./golden-message.ts";
import { protobufSamples } from "./protobuf-samples.ts";

/** Steps for the values of one version. */
const budget = 5_000_000;

/** Golden messages, and the places of the schema that none of them covers. */
export interface VersionSamples {
  readonly messages: readonly GoldenMessage[];
  /** JSON Pointers. */
  readonly missing: readonly string[];
}

/**
 * Golden messages of a version: of a JSON Schema the simplest and the richest value that was found, and values at every
 * branch, listed value, bound and optional member that it names; of a .proto file messages of each type with every value of
 * an enum, every member of a oneof, and the edges of numbers. None when nothing was found within the budget of steps.
 *
 * @throws SobreError `InvalidArgument` for a broken schema.
 */
export async function samplesOfVersion(
  subject: Subject,
  version: SubjectVersion,
  { serializer, codecs }: { readonly serializer: Serializer; readonly codecs: readonly RecordingCodec[] },
): Promise<VersionSamples> {
  const properties = propertiesOf(subject, version);
  if (version.format === "protobuf")
    return { messages: protobufSamples(subject, version, { serializer, codecs, properties }), missing: [] };
  const { schema } = version;
  const comparison = { writer: schema, reader: schema, declared: true, formats: subject.formats, budget };
  const covering = await coverSamplesWithin(comparison).catch((error: unknown) => {
    if (error instanceof SobreError && error.code === "LimitExceeded") return undefined;
    throw error;
  });
  const messages = codecs.flatMap(({ name: codec, contentType }) =>
    Object.entries(covering?.samples ?? {}).flatMap(([name, value]): readonly GoldenMessage[] => {
      const message = recorded(value, { name: codec, contentType }, { subject, version, serializer });
      return message === undefined
        ? []
        : [{ subject: subject.name, version: version.version, codec, name, isWhole: true, ...message }];
    }),
  );
  return { messages, missing: covering?.missing ?? [] };
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
  const document = new SchemaDocument(version.schema, version.version);
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
function propertiesOf({ name, envelope }: Subject, { version }: SubjectVersion): ProducerProperties {
  const applicationProperties = {
    ...envelope.applicationProperties,
    [messageProperties.type]: name,
    [messageProperties.version]: majorOf(version),
  };
  return { ...envelope.brokerProperties, applicationProperties };
}
