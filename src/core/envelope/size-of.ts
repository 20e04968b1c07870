import { checkOption, anEnvelope } from "../options/option-checks.ts";
import type { ApplicationProperties } from "./application-properties.ts";
import type { BrokerProperties } from "./broker-properties.ts";
import { settableRows, type SettableRow } from "./broker-property-table.ts";
import type { Envelope } from "./envelope.ts";
import { sizeOfCompound, sizeOfString, sizeOfUint, sizeOfUlong, sizeOfValue, sizeOfVariable } from "./size-of-value.ts";

/** An origin that knows the encoded size of its envelopes. */
interface SizedOrigin {
  sizeOf(envelope: Envelope): number;
}

/**
 * The size of the envelope as an AMQP 1.0 message in bytes, without what a broker adds.
 *
 * For a received envelope, unchanged sections count as received.
 */
export function sizeOf(envelope: Envelope): number {
  checkOption("envelope", envelope, anEnvelope);
  return sizeOfEnvelope(envelope);
}

/** {@link sizeOf} for a value that is known to be an envelope. */
export function sizeOfEnvelope(envelope: Envelope): number {
  // A received message is decoded only on demand.
  const { origin } = envelope;
  if (origin !== undefined && isSized(origin)) return origin.sizeOf(envelope);
  const { brokerProperties, applicationProperties } = envelope;
  return sizeOfProperties(brokerProperties, applicationProperties) + sizeOfBody(envelope);
}

function isSized(origin: object): origin is SizedOrigin {
  return "sizeOf" in origin && typeof origin.sizeOf === "function";
}

/** The size of the payload's sections, in bytes. */
export function sizeOfBody({ payload, bodyKind }: Envelope): number {
  if (bodyKind === "data") return sectionHead + sizeOfVariable(payload.byteLength);
  if (payload.byteLength === 0) return 0;
  return payload.byteLength + sectionHead * (bodyKind === "sequence" ? countLists(payload) : 1);
}

/** The number of consecutive lists; each is a section. */
function countLists(payload: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < payload.byteLength; count++) {
    const code = payload[at];
    const size = payload[at + 1] ?? 0;
    const upper = ((payload[at + 2] ?? 0) << 16) | ((payload[at + 3] ?? 0) << 8) | (payload[at + 4] ?? 0);
    at += code === 0xd0 ? 5 + size * 2 ** 24 + upper : code === 0xc0 ? 2 + size : 1;
  }
  return count;
}

/** A section's constructor: 0x00, 0x53 and the code. */
const sectionHead = 3;

/** The size of the header, annotation, properties and application-properties sections, in bytes. */
export function sizeOfProperties(
  broker: Pick<BrokerProperties, keyof BrokerProperties>,
  application: ApplicationProperties,
): number {
  return sizeOfHeader(broker) + sizeOfSections(broker) + sizeOfApplication(application);
}

/** Longer times to live, in milliseconds, go with an absolute expiry time and a creation time, in this place of the properties. */
const maxInHeaderLength = 0xffff_ffff;
const creationTimeIndex = 9;
const sizeOfTimestamp = 9;

function sizeOfHeader({ timeToLive = Infinity }: BrokerProperties): number {
  // durable and priority come before ttl (AMQP 1.0 part 3.2.1) and are null.
  return timeToLive === Infinity
    ? 0
    : sectionHead + sizeOfCompound(2 + sizeOfUint(Math.min(timeToLive, maxInHeaderLength)), 3);
}

/** Where the properties are that a sender may set. */
const places: ReadonlyMap<string, SettableRow["amqp"]> = new Map(
  settableRows.map(({ property, amqp }) => [property, amqp]),
);

/** The annotations and the properties section, which has its fields in order (AMQP 1.0 part 3.2.4), in one pass. */
function sizeOfSections(broker: Readonly<Record<string, unknown>>): number {
  let annotations = 0;
  let annotationCount = 0;
  let fields = 0;
  let fieldCount = 0;
  for (const name in broker) {
    const value = broker[name];
    const place = places.get(name);
    if (value === undefined || place === undefined) continue;
    if (place.section === "properties") {
      // Fields are written up to the last one that is set; unset ones are a null of one byte.
      fields += sizeOfId(value) - 1;
      fieldCount = Math.max(fieldCount, place.index + 1);
    } else if (place.section === "message-annotations") {
      annotations += sizeOfVariable(place.name.length) + sizeOfValue(value);
      annotationCount += 2;
    }
  }
  const { timeToLive } = broker;
  if (typeof timeToLive === "number" && timeToLive > maxInHeaderLength && timeToLive !== Infinity) {
    fields += 2 * (sizeOfTimestamp - 1);
    fieldCount = Math.max(fieldCount, creationTimeIndex + 1);
  }
  return sizeOfSection(annotations, annotationCount) + sizeOfSection(fields + fieldCount, fieldCount);
}

const sizeOfSection = (content: number, count: number): number =>
  count === 0 ? 0 : sectionHead + sizeOfCompound(content, count);

/** The size of a list of fields of these sizes, where 0 is a null; trailing nulls are omitted. */
export function sizeOfFields(sizes: readonly number[]): number {
  const count = sizes.findLastIndex((size) => size > 0) + 1;
  if (count === 0) return 1;
  return sizeOfCompound(
    sizes.slice(0, count).reduce((total, size) => total + Math.max(1, size), 0),
    count,
  );
}

/** The size of a message id or another field of the properties section; numeric ids are ulong. */
export function sizeOfId(value: unknown): number {
  return typeof value === "number" || typeof value === "bigint" ? sizeOfUlong(BigInt(value)) : sizeOfValue(value);
}

/** The size of the application-properties section, in bytes. */
export function sizeOfApplication(application: ApplicationProperties): number {
  let size = 0;
  let count = 0;
  for (const name in application) {
    const value = application[name];
    if (value === undefined) continue;
    size += sizeOfString(name) + sizeOfValue(value);
    count += 2;
  }
  return sizeOfSection(size, count);
}
