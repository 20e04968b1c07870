import { checkBag } from "../envelope/bag.ts";
import { envelopeFromJson, envelopeToJson } from "../envelope/envelope-json.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import { type Json, valueToJson } from "../values/value-json.ts";
import { valueFromJsonAt } from "../values/value-json-reading.ts";
import type { Delivery } from "./delivery.ts";

/** The members of a delivery that a capture keeps; a lock is only of the moment. */
const facts = {
  sequenceNumber: is.sequenceNumber,
  enqueuedSequenceNumber: is.sequenceNumber,
  enqueuedTimeUtc: is.date,
  expiresAtUtc: is.maybe(is.date),
  deliveryCount: is.countFrom(0),
  state: is.oneOf("active", "deferred", "scheduled"),
  deadLetterSource: is.maybe(is.text),
  deadLetterReason: is.maybe(is.text),
  deadLetterErrorDescription: is.maybe(is.text),
} as const;

type DeliveryFact = keyof typeof facts;

/** The version of the form. */
const version = 1;

const aDelivery = is.having("a delivery", { envelope: is.envelope, ...facts });

/**
 * The JSON form of a delivery, as in captures: the envelope as by {@link envelopeToJson} and the broker's properties
 * except the lock. Its schema is `schemas/delivery.schema.json`.
 *
 * @throws SobreError `InvalidArgument` for a value that is not a delivery.
 * @example
 * ```ts
 * const [delivery] = await engine.peek("orders", { maxMessages: 1 });
 * if (delivery) console.log(Object.keys(Object(deliveryToJson(delivery))).join()); // version,envelope,delivery
 * ```
 */
export function deliveryToJson(delivery: Delivery): Json {
  checkOption("delivery", delivery, aDelivery);
  const known = factNames.filter((name) => delivery[name] !== undefined);
  return {
    version,
    envelope: envelopeToJson(delivery.envelope),
    delivery: Object.fromEntries(known.map((name) => [name, valueToJson(delivery[name])])),
  };
}

const factNames: readonly DeliveryFact[] = [
  "sequenceNumber",
  "enqueuedSequenceNumber",
  "enqueuedTimeUtc",
  "expiresAtUtc",
  "deliveryCount",
  "state",
  "deadLetterSource",
  "deadLetterReason",
  "deadLetterErrorDescription",
];

/**
 * Reads a delivery from its JSON form.
 *
 * @throws SobreError `InvalidArgument` with the path of a missing, invalid or unknown member, or for another version.
 */
export function deliveryFromJson(json: unknown): Delivery {
  const { version: found, envelope, delivery, ...others } = { ...checkBag(json, "$") };
  if (found !== version) throw invalid("$.version", `must be ${version}, the version that this library reads`);
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalid(`$.${other}`, "is not part of a delivery");
  const given = checkBag(delivery, "$.delivery");
  for (const name of Object.keys(given))
    if (!Object.hasOwn(facts, name)) throw invalid(`$.delivery.${name}`, "is not part of a delivery");
  const read: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, valueFromJsonAt(value, `$.delivery.${name}`)]),
  );
  for (const name of factNames) checkOption(`delivery.${name}`, read[name], facts[name]);
  const made = { ...unsetDeliveryFields, ...read, envelope: envelopeFromJson(envelope) };
  if (isDelivery(made)) return made;
  throw invalid("$.delivery", "is not a delivery");
}

const unsetDeliveryFields = {
  lockToken: undefined,
  lockedUntilUtc: undefined,
  expiresAtUtc: undefined,
  deadLetterSource: undefined,
  deadLetterReason: undefined,
  deadLetterErrorDescription: undefined,
} as const;

const isDelivery = (value: unknown): value is Delivery => aDelivery(value) === undefined;

/** A captured message: a delivery, or the bare envelope of an older capture. */
export interface Captured {
  readonly envelope: Envelope;
  readonly delivery?: Delivery | undefined;
}

/** Reads a captured message. @throws SobreError as {@link deliveryFromJson} and `envelopeFromJson` do. */
export function capturedFromJson(json: unknown): Captured {
  const isDeliveryForm = typeof json === "object" && json !== null && "envelope" in json;
  if (!isDeliveryForm) return { envelope: envelopeFromJson(json) };
  const delivery = deliveryFromJson(json);
  return { envelope: delivery.envelope, delivery };
}

const invalid = (path: string, what: string): SobreError =>
  new SobreError("InvalidArgument", `${path} ${what}.`, { path });
