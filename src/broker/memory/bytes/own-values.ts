import { type AmqpValue, Typed } from "../../../core/values/typed.ts";
import type { ApplicationProperties, ApplicationPropertyValue } from "../../../core/envelope/application-properties.ts";
import { emptyBag } from "../../../core/envelope/bag.ts";
import type { BrokerProperties } from "../../../core/envelope/broker-properties.ts";

/** Broker properties whose binary ids are copies. */
export function ownIds(broker: BrokerProperties): BrokerProperties {
  const { messageId, correlationId } = broker;
  if (!(messageId instanceof Uint8Array || correlationId instanceof Uint8Array)) return broker;
  return Object.freeze({
    ...broker,
    ...(messageId instanceof Uint8Array && { messageId: new Uint8Array(messageId) }),
    ...(correlationId instanceof Uint8Array && { correlationId: new Uint8Array(correlationId) }),
  });
}

/** Application properties whose values share no bytes with others. */
export function ownValues(properties: ApplicationProperties): ApplicationProperties {
  let isOwn = true;
  for (const name in properties) isOwn &&= !mayHoldBytes(properties[name]);
  if (isOwn) return properties;
  const own = emptyBag<ApplicationPropertyValue>();
  for (const [name, value] of Object.entries(properties))
    own[name] = value instanceof Uint8Array ? new Uint8Array(value) : value instanceof Typed ? ownTyped(value) : value;
  return Object.freeze(own);
}

const mayHoldBytes = (value: unknown): boolean => value instanceof Uint8Array || value instanceof Typed;

function ownTyped(typed: Typed): Typed {
  const { type, value } = typed;
  if (value instanceof Uint8Array) return new Typed(type, new Uint8Array(value));
  if (typeof value !== "object" || "values" in value) return typed;
  return new Typed("described", { descriptor: ownValue(value.descriptor), value: ownValue(value.value) });
}

function ownValue(value: AmqpValue): AmqpValue {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  return value instanceof Typed ? ownTyped(value) : value;
}
