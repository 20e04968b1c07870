import { symbolOf } from "../../../core/amqp-values/shared-typed.ts";
import { typed } from "../../../core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue, Typed } from "../../../core/values/typed.ts";
import type { BrokerProperties } from "../../../core/envelope/broker-properties.ts";
import { annotated, annotationName, settableIn } from "./annotation-name.ts";
import type { Delivery } from "../../../core/engine/delivery.ts";

/** Facts that a broker adds to a message; any `Delivery` fits. */
export type DeliveryFacts = Omit<Delivery, "envelope">;

const settable = settableIn("message-annotations");

/** Whether the message annotations would say the same. */
export function sameAnnotations(one: BrokerProperties, other: BrokerProperties): boolean {
  return one === other || settable.every((name) => one[name] === other[name]);
}

/** Whether a sender has set any of the properties that message annotations carry; a loop over their names takes longer. */
export const hasAnnotations = (broker: BrokerProperties): boolean =>
  (broker.partitionKey ?? broker.viaPartitionKey ?? broker.scheduledEnqueueTimeUtc) !== undefined;

/** The message annotations of an envelope: custom ones as they were received, then the sender's, then the broker's. */
export function messageAnnotationsOf(
  broker: BrokerProperties,
  received: AmqpMap | undefined,
  delivery: DeliveryFacts | undefined,
): AmqpMap | undefined {
  const keys: AmqpValue[] = [];
  const values: AmqpValue[] = [];
  for (const [key, value] of received ?? []) {
    if (isWritten(key)) continue;
    keys.push(key);
    values.push(value);
  }
  const set = (name: Parameters<typeof annotationName>[0], value: AmqpValue | undefined): void => {
    if (value === undefined) return;
    keys.push(symbolOf(annotationName(name)));
    values.push(value);
  };
  for (const name of settable) set(name, asReceived(broker[name], received?.get(annotationName(name))));
  if (delivery !== undefined) {
    set("sequenceNumber", delivery.sequenceNumber);
    set("enqueuedTimeUtc", delivery.enqueuedTimeUtc);
    set("lockedUntilUtc", delivery.lockedUntilUtc);
    set("enqueuedSequenceNumber", delivery.enqueuedSequenceNumber);
    set("state", states[delivery.state]);
    set("deadLetterSource", delivery.deadLetterSource);
  }
  return keys.length === 0 ? undefined : AmqpMap.fromColumns(keys, values);
}

/** The value that was received, when it is a symbol of the same text: what did not change keeps its type. */
function asReceived(value: AmqpValue | undefined, received: AmqpValue | undefined): AmqpValue | undefined {
  return received instanceof Typed && received.type === "symbol" && received.value === value ? received : value;
}

/** Active messages carry no state. */
const states = { active: undefined, deferred: typed.int(1), scheduled: typed.int(2) } as const;

/** Also under a string of the name, as sloppy peers write it and as it is read. */
function isWritten(key: AmqpValue): boolean {
  const name = key instanceof Typed ? key.value : key;
  return typeof name === "string" && annotated.has(name);
}
