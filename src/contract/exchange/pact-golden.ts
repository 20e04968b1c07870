import { messageProperties } from "../../core/message/message-properties.ts";
import type { Serializer } from "../../core/codec/serializer.ts";
import { brokerPropertyTable } from "../../core/envelope/broker-property-table.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { envelopeFromJson } from "../../core/envelope/envelope-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import type { Subject } from "../subjects/subject.ts";
import { majorOf, type SubjectVersion } from "../subjects/subject-version.ts";
import type { GoldenMessage } from "../golden/golden-message.ts";
import { readCell } from "../golden/matrix.ts";
import type { PactMessage } from "./pact-file.ts";

/** Where the messages of a pact belong. */
export interface PactPlace {
  readonly subjects: readonly Subject[];
  /** The subject of messages whose metadata name none. Default: the one of their description. */
  readonly subject?: string | undefined;
  /** Default: the newest of the major that the metadata name, or of all. */
  readonly version?: string | undefined;
  readonly serializerOf: (version: SubjectVersion) => Serializer;
}

/** A golden message of a pact, or the reason why it is not one. */
export type PactOutcome = { readonly golden: GoldenMessage } | { readonly problem: string };

/** The golden message for an asynchronous message whose contents and metadata have been verified. */
export async function goldenOfPact(message: PactMessage, name: string, place: PactPlace): Promise<PactOutcome> {
  try {
    return { golden: await goldenOf(message, name, place) };
  } catch (error) {
    if (error instanceof SobreError) return { problem: error.message };
    throw error;
  }
}

async function goldenOf(message: PactMessage, name: string, place: PactPlace): Promise<GoldenMessage> {
  if (message.contradictsItself) throw invalidGolden("its metadata name another content type than its contents");
  const envelope = envelopeOf(message);
  const [subject, version] = versionOf(message, envelope, place);
  const result = place.serializerOf(version).deserialize(envelope);
  if (!result.ok) throw invalidGolden(`it would be dead-lettered: ${result.error.code}: ${result.error.message}`);
  const codecs = subject.codecs.length > 0 ? subject.codecs : ["json"];
  if (!codecs.includes(result.codec))
    throw invalidGolden(`its content type is read by ${result.codec}, and ${subject.name} has ${codecs.join(", ")}`);
  const golden: GoldenMessage = {
    subject: subject.name,
    version: version.version,
    codec: result.codec,
    name,
    envelope,
    expected: valueToJson(result.body),
    isWhole: true,
  };
  const meeting = { subject, producer: version, consumer: version };
  const cell = { subject: subject.name, producer: version.version, consumer: version.version, codec: result.codec };
  const { outcome, detail } = await readCell(
    { ...cell, meets: true, messages: [golden], meeting },
    { serializerOf: (_, own) => place.serializerOf(own) },
  );
  if (outcome !== "read") throw invalidGolden(detail.replace(`${name}: `, `${outcome}: `));
  return golden;
}

const brokerNames: ReadonlySet<string> = new Set(
  brokerPropertyTable.filter(({ settable }) => settable).map(({ property }) => property),
);

/** Metadata named like a broker property become that property; all others become application properties. */
function envelopeOf({ payload, contentType, metadata }: PactMessage): Envelope {
  const entries = Object.entries(metadata);
  const odd = entries.find(([, value]) => typeof value === "object" && value !== null);
  if (odd !== undefined)
    throw invalidGolden(`its metadata ${JSON.stringify(odd[0])} is an object, which no property holds`);
  const broker = entries.filter(([name]) => brokerNames.has(name));
  return envelopeFromJson({
    payload: valueToJson(payload),
    brokerProperties: { ...Object.fromEntries(broker), ...(contentType === undefined ? {} : { contentType }) },
    applicationProperties: Object.fromEntries(entries.filter(([name]) => !brokerNames.has(name))),
  });
}

function versionOf(
  { description }: PactMessage,
  { applicationProperties }: Envelope,
  { subjects, subject: chosen, version: wanted }: PactPlace,
): readonly [Subject, SubjectVersion] {
  const { [messageProperties.type]: type, [messageProperties.version]: major } = applicationProperties;
  const name = typeof type === "string" ? type : (chosen ?? description);
  const subject = subjects.find((one) => one.name === name);
  if (subject === undefined)
    throw invalidGolden(
      chosen === undefined && typeof type !== "string"
        ? "it names no subject. Choose one with --subject"
        : `there is no subject ${name}`,
    );
  const version = subject.versions.findLast(
    (one) =>
      (wanted === undefined || one.version === wanted) && (typeof major !== "number" || majorOf(one.version) === major),
  );
  if (version === undefined) throw invalidGolden(`${name} has no version ${wanted ?? String(major ?? "")}`);
  return [subject, version];
}

function invalidGolden(what: string): SobreError {
  return new SobreError("InvalidArgument", what);
}
