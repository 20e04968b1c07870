import { type DeliveryState, accepted } from "../../wire/amqp/connection/delivery-state.ts";
import { deadLetterProperties, type Settlement } from "../../core/engine/delivery.ts";
import { isSymbolText, typed } from "../../core/values/typed-makers.ts";
import { AmqpMap, type AmqpValue } from "../../core/values/typed.ts";
import type { ApplicationPropertyValue } from "../../core/envelope/application-properties.ts";
import { createEnvelope } from "../../core/envelope/envelope.ts";
import { sizeOfProperties } from "../../core/envelope/size-of.ts";

type AbandonModification = Extract<Settlement, { kind: "abandon" }>["propertiesToModify"];

const noTag = new Uint8Array(0);

/** The properties to modify, checked as those of an envelope are. @throws SobreError `InvalidArgument`. */
function checked(modification: AbandonModification): readonly (readonly [string, ApplicationPropertyValue])[] {
  const entries = Object.entries(modification ?? {});
  const given = entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  createEnvelope({ payload: noTag, applicationProperties: Object.fromEntries(given) });
  return entries.map(([name, value]) => [name, value ?? null]);
}

/** The outcome that reports a settlement to a broker. @throws SobreError `InvalidArgument`. */
export function settlementState(settlement: Settlement): DeliveryState {
  if (settlement.kind === "complete") return accepted;
  if (settlement.kind === "release") return { kind: "released" };
  const properties = checked(settlement.propertiesToModify).map(([name, value]): [AmqpValue, AmqpValue] => [
    symbolOrText(name),
    value,
  ]);
  if (settlement.kind !== "deadLetter") {
    const annotations = properties.length === 0 ? undefined : new AmqpMap(properties);
    return { kind: "modified", deliveryFailed: false, undeliverableHere: settlement.kind === "defer", annotations };
  }
  const { deadLetterReason = null, deadLetterErrorDescription = null } = settlement;
  const info = new AmqpMap([
    [typed.symbol(deadLetterProperties.reason), deadLetterReason],
    [typed.symbol(deadLetterProperties.description), deadLetterErrorDescription],
    ...properties,
  ]);
  return { kind: "rejected", error: { condition: "com.microsoft:dead-letter", info } };
}

/** Names beyond ASCII are not valid symbols. */
const symbolOrText = (name: string): AmqpValue => (isSymbolText(name) ? typed.symbol(name) : name);

/** Maximum size of the fields of an outcome in bytes: it is sent in one frame, whose size a broker may limit. */
const maxOutcomeBytes = 8192;

/** Whether the outcome of a settlement fits into a frame. */
export function fitsFrame(settlement: Settlement): boolean {
  if (settlement.kind === "complete" || settlement.kind === "release") return true;
  const { deadLetterReason = "", deadLetterErrorDescription = "" } = settlement.kind === "deadLetter" ? settlement : {};
  const properties = Object.fromEntries(checked(settlement.propertiesToModify));
  const texts = Buffer.byteLength(deadLetterReason) + Buffer.byteLength(deadLetterErrorDescription);
  return texts + sizeOfProperties({}, properties) <= maxOutcomeBytes;
}

const statuses = {
  complete: "completed",
  abandon: "abandoned",
  release: "unlocked",
  defer: "defered",
  deadLetter: "suspended",
} as const;

/** The arguments that report a settlement to `$management`. @throws SobreError `InvalidArgument`. */
export function settlementArguments(settlement: Settlement): Readonly<Record<string, AmqpValue>> {
  const status = { "disposition-status": statuses[settlement.kind] };
  if (settlement.kind === "complete" || settlement.kind === "release") return status;
  const properties = checked(settlement.propertiesToModify);
  const modified = properties.length === 0 ? {} : { "properties-to-modify": new AmqpMap(properties) };
  if (settlement.kind !== "deadLetter") return { ...status, ...modified };
  const { deadLetterReason, deadLetterErrorDescription } = settlement;
  return {
    ...status,
    ...modified,
    ...(deadLetterReason === undefined ? {} : { "deadletter-reason": deadLetterReason }),
    ...(deadLetterErrorDescription === undefined ? {} : { "deadletter-description": deadLetterErrorDescription }),
  };
}
