import type { ApplicationPropertyValue } from "../../core/envelope/application-properties.ts";
import { createEnvelope, type Envelope, type EnvelopeInit } from "../../core/envelope/envelope.ts";
import { Typed } from "../../core/values/typed.ts";
import { checkOption, checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import {
  attributesOf,
  broken,
  type CloudEvent,
  type CloudEventMode,
  type CloudEventTypes,
  type CloudEventValue,
  eventOf,
  textOfAttribute,
} from "./cloud-event.ts";
import { cloudEventFromJson, cloudEventJson, cloudEventToJson } from "./cloud-event-json.ts";

/** The prefix of attribute names in application properties; JMS does not allow a colon. */
export type CloudEventPrefix = "cloudEvents:" | "cloudEvents_";

/** Options of {@link cloudEventToEnvelope}. */
export interface CloudEventEnvelopeOptions {
  /** Default: `binary`. */
  readonly mode?: CloudEventMode | undefined;
  /** Default: `cloudEvents:`. */
  readonly prefix?: CloudEventPrefix | undefined;
  /** Further broker properties of the message. */
  readonly brokerProperties?: EnvelopeInit["brokerProperties"];
}

/**
 * Converts an event to a message by the AMQP binding (CloudEvents 1.0.2).
 *
 * @throws SobreError `InvalidArgument` naming the attribute or the option.
 * @example
 * ```ts
 * const event = { id: "1", source: "/shop", type: "acme.order", data: new TextEncoder().encode('{"id":7}') };
 * const envelope = cloudEventToEnvelope(event, { mode: "binary" });
 * console.log(envelope.applicationProperties["cloudEvents:type"]); // acme.order
 * ```
 */
export function cloudEventToEnvelope(event: CloudEvent, options: CloudEventEnvelopeOptions = {}): Envelope {
  checkOptions(options, cloudEventEnvelopeChecks);
  const { mode = "binary", prefix = "cloudEvents:", brokerProperties } = options;
  if (mode === "structured") {
    const contentType = `${cloudEventJson}; charset=UTF-8`;
    return createEnvelope({ payload: cloudEventToJson(event), brokerProperties: { ...brokerProperties, contentType } });
  }
  const applicationProperties: Record<string, ApplicationPropertyValue> = {};
  for (const [name, value] of attributesOf(event)) {
    applicationProperties[`${prefix}${name}`] = amqpValue(value);
  }
  return createEnvelope({
    payload: event.data ?? new Uint8Array(),
    brokerProperties: { ...brokerProperties, contentType: event.datacontenttype },
    applicationProperties,
  });
}

const isMode = is.oneOf("binary", "structured");

const cloudEventEnvelopeChecks: OptionChecks<CloudEventEnvelopeOptions> = {
  mode: isMode,
  prefix: is.oneOf("cloudEvents:", "cloudEvents_"),
  brokerProperties: is.anything,
};

/**
 * Reads the event from a message in either mode; `undefined` if it is not a CloudEvent.
 *
 * @throws SobreError `DecodeFailed` when it is one but violates the specification.
 * @example
 * ```ts
 * const envelope = cloudEventToEnvelope({ id: "1", source: "/shop", type: "acme.order" });
 * console.log(cloudEventFromEnvelope(envelope)?.type); // acme.order
 * ```
 */
export function cloudEventFromEnvelope(envelope: Envelope, types: CloudEventTypes = {}): CloudEvent | undefined {
  checkOption("envelope", envelope, is.envelope);
  const { payload, brokerProperties, applicationProperties } = envelope;
  const { contentType } = brokerProperties;
  if (isStructured(contentType)) return cloudEventFromJson(payload, types);
  const attributes = new Map<string, CloudEventValue>();
  for (const [property, value] of Object.entries(applicationProperties)) {
    const name = /^cloudEvents[:_](.+)$/.exec(property)?.[1];
    if (name === undefined) continue;
    const own = plainAttribute(name, value);
    const isTime = name === "time" || (Object.hasOwn(types, name) && types[name] === "timestamp");
    attributes.set(name, isTime ? timeOfNumber(own) : own);
  }
  return attributes.has("specversion") ? eventOf(attributes, content(payload, contentType), types) : undefined;
}

/** Headers and body of an HTTP request or response. */
export interface CloudEventHttp {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Headers as an object, e.g. Node's `request.headers`, or as entries, e.g. of `Headers`. */
export type HttpHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [string, string]>;

/**
 * Converts an event to headers and body by the HTTP binding (CloudEvents 1.0.2).
 *
 * @throws SobreError `InvalidArgument` naming the attribute.
 */
export function cloudEventToHttp(event: CloudEvent, mode: CloudEventMode = "binary"): CloudEventHttp {
  checkOption("mode", mode, isMode);
  if (mode === "structured") {
    return { headers: { "content-type": `${cloudEventJson}; charset=UTF-8` }, body: cloudEventToJson(event) };
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of attributesOf(event)) headers[`ce-${name}`] = percentEncode(textOfAttribute(value));
  if (event.datacontenttype !== undefined) headers["content-type"] = event.datacontenttype;
  return { headers, body: event.data ?? new Uint8Array() };
}

/**
 * Reads the event from an HTTP request or response in either mode; `undefined` if it is not a CloudEvent.
 *
 * @throws SobreError `DecodeFailed` when it is one but violates the specification, `InvalidArgument` for invalid
 * headers.
 */
export function cloudEventFromHttp(
  headers: HttpHeaders,
  body: Uint8Array,
  types: CloudEventTypes = {},
): CloudEvent | undefined {
  const attributes = new Map<string, CloudEventValue>();
  let contentType: string | undefined;
  for (const entry of entriesOf(headers)) {
    if (!isHeader(entry)) throw invalidOption("headers", "must have strings as names and values");
    const [header, given] = entry;
    const name = header.toLowerCase();
    if (given === undefined) continue;
    // Lines with the same name form one list (RFC 9110 section 5.3).
    const value = typeof given === "string" ? given : given.join(", ");
    if (name === "content-type") contentType = value;
    else if (name.startsWith("ce-")) attributes.set(name.slice(3), percentDecode(name, value));
  }
  if (isStructured(contentType)) return cloudEventFromJson(body, types);
  return attributes.has("specversion") ? eventOf(attributes, content(body, contentType), types) : undefined;
}

function entriesOf(headers: HttpHeaders): Iterable<readonly [string, string | readonly string[] | undefined]> {
  if (typeof headers !== "object" || headers === null) throw invalidOption("headers", "must be an object or entries");
  return isEntries(headers) ? headers : Object.entries(headers);
}

function isHeader(entry: unknown): boolean {
  if (!Array.isArray(entry) || typeof entry[0] !== "string") return false;
  const value: unknown = entry[1];
  return value === undefined || typeof value === "string" || Array.isArray(value);
}

function isEntries(headers: HttpHeaders): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}

/** Whether a content type is that of a structured event. */
export function isStructured(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/cloudevents\+json\s*(?:;|$)/i.test(contentType);
}

function content(data: Uint8Array, contentType: string | undefined): Pick<CloudEvent, "data" | "datacontenttype"> {
  return {
    ...(data.byteLength > 0 && { data }),
    ...(contentType !== undefined && { datacontenttype: contentType }),
  };
}

/** Integers are written as longs, URIs as strings (AMQP binding, 3.1.3.2). */
function amqpValue(value: CloudEventValue): ApplicationPropertyValue {
  if (value instanceof URL) return value.href;
  return typeof value === "number" ? BigInt(value) : value;
}

/** `@azure/service-bus` returns timestamps as milliseconds, and forwards them as such. */
function timeOfNumber(value: CloudEventValue): CloudEventValue {
  const time = typeof value === "number" ? new Date(value) : value;
  return time instanceof Date && Number.isNaN(time.getTime()) ? value : time;
}

/** Integers of any AMQP type are integers. */
function plainAttribute(name: string, value: ApplicationPropertyValue): CloudEventValue {
  if (value instanceof Typed) {
    const { value: inner } = value;
    if (value.type === "timestamp" && typeof inner === "bigint") return new Date(Number(inner));
    if (typeof inner === "bigint") return Number(inner);
    if (typeof inner === "string" || typeof inner === "number") return inner;
  } else if (typeof value === "bigint") return Number(value);
  else if (value !== null) return value;
  throw broken(`The CloudEvents attribute "${name}" has a type that CloudEvents does not have.`);
}

/** All but printable ASCII, and space, quote and percent (HTTP binding, 3.1.3.2). */
function percentEncode(text: string): string {
  return text.replaceAll(/[^\u0021\u0023\u0024\u0026-\u007e]+/gu, (part) =>
    Array.from(new TextEncoder().encode(part), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(
      "",
    ),
  );
}

/** Older senders quote values; quotes are removed before percent-decoding (HTTP binding, 3.1.3.2). */
function percentDecode(name: string, value: string): string {
  const bare = /^"(?:[^"\\]|\\.)*"$/.test(value) ? value.slice(1, -1).replaceAll(/\\(.)/g, "$1") : value;
  try {
    return decodeURIComponent(bare.replaceAll(/%(?![0-9a-f]{2})/gi, "%25"));
  } catch (cause) {
    throw broken(`The header "${name}" is not percent-encoded UTF-8.`, cause);
  }
}
