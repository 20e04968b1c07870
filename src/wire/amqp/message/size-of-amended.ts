import type { BrokerProperties } from "../../../core/envelope/broker-properties.ts";
import type { Envelope } from "../../../core/envelope/envelope.ts";
import { sizeOfApplication, sizeOfBody, sizeOfFields, sizeOfId } from "../../../core/envelope/size-of.ts";
import { sizeOfCompound, sizeOfUint, sizeOfValue } from "../../../core/envelope/size-of-value.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../../core/values/typed.ts";
import { encodeValue } from "../../../core/amqp-values/encode-value.ts";
import type { AmqpMessage } from "./amqp-message.ts";
import { messageAnnotationsOf, sameAnnotations } from "./envelope-annotations.ts";
import { propertiesOf, sameProperties } from "./envelope-properties.ts";
import type { SectionName } from "./section.ts";
import { headerTimeToLive, needsTimes, withTimes } from "./time-to-live.ts";

/** A section's constructor: 0x00, 0x53 and the code. */
const sectionHead = 3;

/** The encoded size of an envelope that was amended from a received one: only the changed sections are measured. */
export function sizeOfAmended(envelope: Envelope, received: Envelope & { readonly message: AmqpMessage }): number {
  const { message } = received;
  const { brokerProperties: broker, applicationProperties: application } = envelope;
  let size = message.bytes.byteLength;
  if (broker !== received.brokerProperties) {
    const { timeToLive } = broker;
    if (timeToLive !== received.brokerProperties.timeToLive)
      size += sizeOfHeader(message, timeToLive) - sectionSize(message, "header");
    if (!sameAnnotations(broker, received.brokerProperties))
      size += sizeOfAnnotations(message, broker) - sectionSize(message, "messageAnnotations");
    if (
      !sameProperties(broker, received.brokerProperties) ||
      needsTimes(timeToLive, received.brokerProperties.timeToLive)
    )
      size += sizeOfProperties(message, broker, received.brokerProperties) - sectionSize(message, "properties");
  }
  if (application !== received.applicationProperties)
    size += sizeOfApplication(application) - sectionSize(message, "applicationProperties");
  if (envelope.payload !== received.payload || envelope.bodyKind !== received.bodyKind)
    size += sizeOfBody(envelope) - (message.bodyBytes()?.byteLength ?? 0);
  return size;
}

const sectionSize = (message: AmqpMessage, name: SectionName): number => message.sectionBytes(name)?.byteLength ?? 0;

function sizeOfHeader({ header }: AmqpMessage, timeToLive: number | undefined): number {
  const ttl = headerTimeToLive(timeToLive);
  if (header === undefined && ttl === undefined) return 0;
  const { durable, priority, firstAcquirer, deliveryCount } = header ?? {};
  const fields = [
    durable === undefined ? 0 : 1,
    priority === undefined ? 0 : 2,
    ttl === undefined ? 0 : sizeOfUint(ttl),
    firstAcquirer === undefined ? 0 : 1,
    deliveryCount === undefined ? 0 : sizeOfUint(deliveryCount),
  ];
  return sectionHead + sizeOfFields(fields);
}

function sizeOfProperties({ properties }: AmqpMessage, broker: BrokerProperties, received: BrokerProperties): number {
  const named = propertiesOf(broker, properties);
  const { timeToLive } = broker;
  const all = needsTimes(timeToLive, received.timeToLive) ? withTimes(named, timeToLive, new Date(0)) : named;
  const ids = [all.messageId, all.userId, all.to, all.subject, all.replyTo, all.correlationId];
  const texts = [all.contentType, all.contentEncoding, all.absoluteExpiryTime, all.creationTime, all.groupId];
  const fields = [...ids, ...texts].map((value) => (value === undefined ? 0 : sizeOfId(value)));
  const { groupSequence, replyToGroupId } = all;
  fields.push(
    groupSequence === undefined ? 0 : sizeOfUint(groupSequence),
    replyToGroupId === undefined ? 0 : sizeOfValue(replyToGroupId),
  );
  return properties === undefined && fields.every((size) => size === 0) ? 0 : sectionHead + sizeOfFields(fields);
}

function sizeOfAnnotations({ messageAnnotations }: AmqpMessage, broker: BrokerProperties): number {
  const map = messageAnnotationsOf(broker, messageAnnotations, undefined);
  if (map === undefined) return 0;
  let content = 0;
  for (const [key, value] of map) content += sizeOfAny(key) + sizeOfAny(value);
  return sectionHead + sizeOfCompound(content, map.size * 2);
}

/** Custom annotations may hold lists, maps and arrays; few do. */
function sizeOfAny(value: AmqpValue): number {
  const isCompound = Array.isArray(value) || value instanceof AmqpMap;
  const isTyped = value instanceof Typed && typeof value.value === "object";
  return isCompound || isTyped ? encodeValue(value).byteLength : sizeOfValue(value);
}
