import { checkNames, checkOption } from "../../../core/options/option-checks.ts";
import * as is from "../../../core/options/is.ts";
import { ByteWriter } from "../../../core/amqp-values/byte-writer.ts";
import { resolveWriteOptions } from "../../../core/amqp-values/encode-value.ts";
import { inside, withPath } from "../../../core/amqp-values/unsupported-value.ts";
import { type WriterSettings, writeValue } from "../../../core/amqp-values/write-value.ts";
import type { BrokerProperties } from "../../../core/envelope/broker-properties.ts";
import type { Envelope } from "../../../core/envelope/envelope.ts";
import { type DeliveryFacts, hasAnnotations, messageAnnotationsOf, sameAnnotations } from "./envelope-annotations.ts";
import { hasProperties, inOrder, isEmpty, propertiesOf, sameProperties } from "./envelope-properties.ts";
import { MessageOrigin } from "./message-origin.ts";
import { annotationName } from "./annotation-name.ts";
import { section } from "./section.ts";
import { type MessageHeader, writeHeader } from "./message-header.ts";
import { type MessageProperties, writeProperties } from "./message-properties.ts";
import { headerTimeToLive, isLong, needsTimes, withTimes } from "./time-to-live.ts";
import { type MessageWriteOptions, writeData } from "./write-message.ts";
import { typed } from "../../../core/values/typed-makers.ts";
import type { Typed } from "../../../core/values/typed.ts";
import { writeAnnotations, writeApplicationProperties, writeDescriptor } from "./write-section.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { valueEnd } from "../../../core/amqp-values/value-end.ts";

/** Options of {@link encodeMessage}. */
export interface EncodeMessageOptions extends MessageWriteOptions {
  /** Rewrites header and message annotations as a delivering broker does; delivery annotations are dropped. */
  readonly delivery?: DeliveryFacts | undefined;
  /** The creation time that goes with a time to live above 2^32-1 ms. Default: now. */
  readonly createdAt?: Date | undefined;
}

/** The names of {@link EncodeMessageOptions}. */
export const encodeNames: Readonly<Record<keyof EncodeMessageOptions, true>> = {
  profile: true,
  delivery: true,
  createdAt: true,
};

/**
 * Writes an envelope as an AMQP message.
 *
 * An unamended envelope of `decodeMessage` yields the bytes it was read from; of an amended one, sections whose parts
 * are still the same objects are copied byte for byte. Custom annotations, footer, user id, group sequence, priority
 * and durable are kept. A time to live above 2^32-1 ms, the maximum of the header, is the time from the creation time to the
 * absolute expiry time. The profile applies only to envelopes that were not received: received values keep their types.
 *
 * @throws SobreError `UnsupportedValue` with the path to a value that AMQP cannot represent.
 * @example
 * ```ts
 * const bytes = encodeMessage(createEnvelope({ payload: Uint8Array.of(1, 2) }));
 * console.log(bytes.length); // 7
 * ```
 */
export function encodeMessage(envelope: Envelope, options?: EncodeMessageOptions): Uint8Array {
  checkOption("envelope", envelope, is.envelope);
  if (options !== undefined) checkNames(options, encodeNames);
  const origin = envelope.origin instanceof MessageOrigin ? envelope.origin : undefined;
  const delivery = options?.delivery;
  if (origin !== undefined && delivery === undefined && origin.isUntouched(envelope)) return origin.bytes;
  try {
    return ByteWriter.collect((writer) => writeParts(writer, envelope, options));
  } catch (error) {
    throw withPath(error, "$");
  }
}

/**
 * {@link encodeMessage} after what a writer already holds, such as a frame's head: the sections go straight into it,
 * those of an untouched message as the bytes that came. When it throws, some may have been written:
 * set `at` back to where it was.
 *
 * @throws SobreError as {@link encodeMessage} does.
 */
export function writeEnvelope(writer: ByteWriter, envelope: Envelope, options?: EncodeMessageOptions): void {
  const { origin } = envelope;
  const isReceived = origin instanceof MessageOrigin && options?.delivery === undefined;
  if (isReceived && origin.isUntouched(envelope)) return writer.raw(origin.bytes);
  try {
    writeParts(writer, envelope, options);
  } catch (error) {
    throw withPath(error, "$");
  }
}

function writeParts(writer: ByteWriter, envelope: Envelope, options: EncodeMessageOptions | undefined): void {
  const origin = envelope.origin instanceof MessageOrigin ? envelope.origin : undefined;
  // Received values keep their types.
  const settings = resolveWriteOptions(origin === undefined ? options : undefined);
  new EnvelopeWriter(writer, envelope, origin, settings).write(options);
}

/** The time to live that a delivery has by its expiry, which the entity may have shortened; `undefined`: it never expires. */
export function effectiveTimeToLive(broker: BrokerProperties, delivery: DeliveryFacts): number | undefined {
  const { enqueuedTimeUtc, expiresAtUtc } = delivery;
  if (expiresAtUtc === undefined) return broker.timeToLive;
  return Math.max(0, expiresAtUtc.getTime() - enqueuedTimeUtc.getTime());
}

/**
 * The properties of a delivery: its own expiry in place of the sender's.
 *
 * Official clients take the time between creation and expiry for the time to live, and their tests want that of the
 * sender back: both are the broker's. A sender that gave a creation time alone keeps it, as the bare message is immutable
 * (AMQP 1.0 part 3.2); the header has the time to live.
 */
export function withExpiry(
  properties: MessageProperties,
  timeToLive: number | undefined,
  { expiresAtUtc, enqueuedTimeUtc }: DeliveryFacts,
): MessageProperties {
  if (isLong(timeToLive)) return withTimes(properties, timeToLive, enqueuedTimeUtc);
  const { creationTime, absoluteExpiryTime } = properties;
  if (creationTime === undefined || expiresAtUtc === undefined)
    return { ...properties, absoluteExpiryTime: expiresAtUtc };
  if (absoluteExpiryTime === undefined) return properties;
  return { ...properties, absoluteExpiryTime: expiresAtUtc, creationTime: enqueuedTimeUtc };
}

const isSameTime = (
  one: Date | Typed<"timestamp"> | undefined,
  other: Date | Typed<"timestamp"> | undefined,
): boolean => one === other || (one instanceof Date && other instanceof Date && one.getTime() === other.getTime());

function writeLockToken(writer: ByteWriter, lockToken: string): void {
  writeDescriptor(writer, section.deliveryAnnotations);
  writeAnnotations(writer, { [annotationName("lockToken")]: typed.uuid(lockToken) }, resolveWriteOptions());
}

class EnvelopeWriter {
  readonly #writer: ByteWriter;
  readonly #envelope: Envelope;
  readonly #broker: BrokerProperties;
  readonly #origin: MessageOrigin | undefined;
  readonly #settings: WriterSettings;

  constructor(writer: ByteWriter, envelope: Envelope, origin: MessageOrigin | undefined, settings: WriterSettings) {
    this.#writer = writer;
    this.#envelope = envelope;
    this.#broker = envelope.brokerProperties;
    this.#origin = origin;
    this.#settings = settings;
  }

  write({ delivery, createdAt }: EncodeMessageOptions = {}): void {
    const message = this.#origin?.message;
    this.#header(delivery);
    if (delivery === undefined) this.#copy(message?.sectionBytes("deliveryAnnotations"));
    else if (delivery.lockToken !== undefined) writeLockToken(this.#writer, delivery.lockToken);
    this.#annotations(delivery);
    let step = ".brokerProperties";
    try {
      this.#properties(delivery, createdAt);
      step = ".applicationProperties";
      this.#applicationProperties();
    } catch (error) {
      throw inside(error, step);
    }
    this.#body();
    this.#copy(message?.sectionBytes("footer"));
  }

  #copy(bytes: Uint8Array | undefined): void {
    if (bytes !== undefined) this.#writer.raw(bytes);
  }

  #header(delivery: DeliveryFacts | undefined): void {
    const timeToLive = delivery === undefined ? this.#broker.timeToLive : effectiveTimeToLive(this.#broker, delivery);
    const origin = this.#origin;
    const kept = origin !== undefined && timeToLive === origin.brokerProperties.timeToLive;
    if (kept && delivery === undefined) return this.#copy(origin.message.sectionBytes("header"));
    const received = origin?.message.header;
    const ttl = kept ? received?.ttl : headerTimeToLive(timeToLive);
    const header: MessageHeader =
      delivery === undefined
        ? { ...received, ttl }
        : { durable: received?.durable, priority: received?.priority, ttl, deliveryCount: delivery.deliveryCount };
    if (received === undefined && ttl === undefined && delivery === undefined) return;
    writeDescriptor(this.#writer, section.header);
    writeHeader(this.#writer, header);
  }

  #annotations(delivery: DeliveryFacts | undefined): void {
    const origin = this.#origin;
    // Most envelopes that an application makes have nothing for this section.
    if (origin === undefined && delivery === undefined && !hasAnnotations(this.#broker)) return;
    if (origin !== undefined && delivery === undefined && sameAnnotations(this.#broker, origin.brokerProperties)) {
      return this.#copy(origin.message.sectionBytes("messageAnnotations"));
    }
    const map = messageAnnotationsOf(this.#broker, origin?.message.messageAnnotations, delivery);
    if (map === undefined) return;
    writeDescriptor(this.#writer, section.messageAnnotations);
    // The keys of sloppy peers, too, go on as they came.
    writeValue(this.#writer, map, this.#settings, 0);
  }

  #properties(delivery: DeliveryFacts | undefined, createdAt: Date | undefined): void {
    const broker = this.#broker;
    const origin = this.#origin;
    const received = origin?.message.properties;
    const timeToLive = delivery === undefined ? broker.timeToLive : effectiveTimeToLive(broker, delivery);
    const isTimed =
      delivery === undefined ? needsTimes(timeToLive, origin?.brokerProperties.timeToLive) : isLong(timeToLive);
    if (!isTimed) {
      const expiry = delivery === undefined ? received?.absoluteExpiryTime : delivery.expiresAtUtc;
      const isSame = isSameTime(expiry, received?.absoluteExpiryTime);
      if (isSame && origin !== undefined && sameProperties(broker, origin.brokerProperties))
        return this.#copy(origin.message.sectionBytes("properties"));
      if (received === undefined && expiry === undefined && !hasProperties(broker)) return;
    }
    const properties = propertiesOf(broker, received);
    writeDescriptor(this.#writer, section.properties);
    if (delivery !== undefined) writeProperties(this.#writer, withExpiry(properties, timeToLive, delivery));
    else
      writeProperties(this.#writer, isTimed ? withTimes(properties, timeToLive, createdAt ?? new Date()) : properties);
  }

  #applicationProperties(): void {
    const { applicationProperties } = this.#envelope;
    const origin = this.#origin;
    if (origin !== undefined && applicationProperties === origin.applicationProperties) {
      return this.#copy(origin.message.sectionBytes("applicationProperties"));
    }
    if (isEmpty(applicationProperties)) return;
    writeDescriptor(this.#writer, section.applicationProperties);
    const ordered = inOrder(applicationProperties, origin?.message.applicationProperties);
    writeApplicationProperties(this.#writer, ordered, this.#settings);
  }

  #body(): void {
    const { payload, bodyKind } = this.#envelope;
    const origin = this.#origin;
    if (origin !== undefined && payload === origin.payload && bodyKind === origin.bodyKind) {
      return this.#copy(origin.message.bodyBytes());
    }
    writePayload(this.#writer, this.#envelope);
  }
}

/**
 * Writes the body sections of an envelope: one of data, one of a value, or one per list of a sequence.
 *
 * @throws SobreError `InvalidArgument` when the payload of a value or sequence is not what its body kind says.
 */
function writePayload(writer: ByteWriter, { payload, bodyKind }: Envelope): void {
  switch (bodyKind) {
    case "data":
      return writeData(writer, payload);
    case "sequence":
      return writeSequence(writer, payload);
    case "value":
      // An empty payload is a message without a body.
      if (payload.byteLength === 0) return;
      if (valueEnd(payload, 0) !== payload.byteLength) throw notEncoded("value", "one AMQP value");
      writeDescriptor(writer, section.value);
      return writer.raw(payload);
    default:
      bodyKind satisfies never;
  }
}

function writeSequence(writer: ByteWriter, payload: Uint8Array): void {
  for (let at = 0; at < payload.byteLength;) {
    const code = payload[at];
    const end = code === 0x45 || code === 0xc0 || code === 0xd0 ? valueEnd(payload, at) : -1;
    if (end < 0) throw notEncoded("sequence", "consecutive AMQP lists");
    writeDescriptor(writer, section.sequence);
    writer.raw(payload.subarray(at, end));
    at = end;
  }
}

function notEncoded(bodyKind: string, wanted: string): SobreError {
  return new SobreError(
    "InvalidArgument",
    `The payload of the body kind "${bodyKind}" must be ${wanted}. Let the amqp codec encode it, or use the body kind "data".`,
    { path: "$.payload" },
  );
}
