import { AmqpMap, type AmqpValue } from "../../../core/values/typed.ts";
import type { ApplicationProperties } from "../../../core/envelope/application-properties.ts";
import type { BrokerProperties } from "../../../core/envelope/broker-properties.ts";
import { settableIn } from "./annotation-name.ts";
import type { MessageProperties } from "./message-properties.ts";

/** The broker properties that the properties section carries. */
const carried = settableIn("properties");

/** Whether the properties section would say the same; amending keeps values that did not change. */
export function sameProperties(one: BrokerProperties, other: BrokerProperties): boolean {
  return one === other || carried.every((name) => one[name] === other[name]);
}

/** Whether there is anything to write into a properties section. */
export function hasProperties(broker: BrokerProperties): boolean {
  return carried.some((name) => broker[name] !== undefined);
}

/** The properties section of an envelope; what no broker property names is carried over from the one received. */
export function propertiesOf(broker: BrokerProperties, received: MessageProperties | undefined): MessageProperties {
  return {
    messageId: broker.messageId,
    userId: received?.userId,
    to: broker.to,
    subject: broker.subject,
    replyTo: broker.replyTo,
    correlationId: broker.correlationId,
    contentType: broker.contentType,
    contentEncoding: broker.contentEncoding,
    absoluteExpiryTime: received?.absoluteExpiryTime,
    creationTime: received?.creationTime,
    groupId: broker.sessionId,
    groupSequence: received?.groupSequence,
    replyToGroupId: broker.replyToSessionId,
  };
}

/** Whether there is no application property. */
export function isEmpty(properties: ApplicationProperties): boolean {
  for (const name in properties) if (properties[name] !== undefined) return false;
  return true;
}

/** The properties in the order of those received, new ones last: objects put names that are numbers first. */
export function inOrder(
  properties: ApplicationProperties,
  received: AmqpMap | undefined,
): ApplicationProperties | AmqpMap {
  if (received === undefined || !/^\d+$/.test(firstName(properties))) return properties;
  const entries = new Map<AmqpValue, AmqpValue>();
  for (const name of [...received.keys(), ...Object.keys(properties)]) {
    const value = typeof name === "string" ? properties[name] : undefined;
    if (value !== undefined) entries.set(name, value);
  }
  return new AmqpMap(entries);
}

function firstName(properties: ApplicationProperties): string {
  for (const name in properties) return name;
  return "";
}
