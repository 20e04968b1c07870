import { setMember } from "../../../core/values/plain-object.ts";
import { deadLetterProperties, type Settlement } from "../../../core/engine/delivery.ts";
import type { AmqpMap } from "../../../core/values/typed.ts";
import type { ApplicationPropertyValue } from "../../../core/envelope/application-properties.ts";
import { looseText } from "../../../core/amqp-values/loose-value.ts";
import { isSimple } from "../../../wire/amqp/message/simple-value.ts";
import type { DeliveryOutcome } from "../../../wire/amqp/connection/delivery-state.ts";
import { WireFault } from "../../../wire/amqp/connection/wire-fault.ts";

const complete: Settlement = { kind: "complete" };

/** The settlement of a receiver's outcome. */
export function settlementOf(outcome: DeliveryOutcome | undefined): Settlement {
  switch (outcome?.kind) {
    case "accepted":
      return complete;
    case "rejected":
      return deadLetter(outcome.error?.info);
    case "modified": {
      const propertiesToModify = propertiesOf(outcome.annotations);
      return { kind: outcome.undeliverableHere ? "defer" : "abandon", propertiesToModify };
    }
    case "released":
      return { kind: "release" };
    // A message settled without an outcome counts as abandoned.
    case undefined:
      return { kind: "abandon" };
    case "declared":
      throw new WireFault("amqp:not-allowed", "The outcome declared is not allowed for a message.", "session");
    default:
      return outcome satisfies never;
  }
}

function deadLetter(info: AmqpMap | undefined): Settlement {
  const {
    [deadLetterProperties.reason]: reason,
    [deadLetterProperties.description]: description,
    ...others
  } = propertiesOf(info) ?? {};
  return {
    kind: "deadLetter",
    deadLetterReason: looseText(reason),
    deadLetterErrorDescription: looseText(description),
    propertiesToModify: others,
  };
}

/** The properties of a settlement, without values that application properties cannot hold. */
export function propertiesOf(map: AmqpMap | undefined): Record<string, ApplicationPropertyValue> | undefined {
  if (map === undefined) return undefined;
  const properties: Record<string, ApplicationPropertyValue> = {};
  for (const [key, value] of map) {
    const name = looseText(key);
    if (name === undefined || !isSimple(value)) continue;
    setMember(properties, name, value);
  }
  return properties;
}
