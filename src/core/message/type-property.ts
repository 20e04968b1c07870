import { messageProperties } from "./message-properties.ts";
import { isObject } from "../values/plain-object.ts";
import { checkOption, invalidOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import type { Message } from "../codec/message.ts";
import { type ContentType, formatContentType, parseContentType } from "../content-type/content-type.ts";
import { parameter } from "../content-type/parameter.ts";
import type { ApplicationProperties } from "../envelope/application-properties.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { Typed } from "../values/typed.ts";

/** Where a type is written: in application properties, or in parameters of the content type. */
export type TypeWire = "properties" | "contentType";

/** The message type that a message declares. */
export interface TypeClaim {
  /** The type that it names, even if it is unknown here. */
  readonly declared: string | undefined;
  /** Names from other conventions, in order of precedence, which count only if known; empty when a type is declared. */
  readonly implied: readonly string[];
  /** The version that it names: `undefined` for none, `NaN` for an invalid one. */
  readonly version: number | undefined;
}

/**
 * The message type that a message declares or implies. The application properties, or the content-type parameters
 * `type` and `version` together, declare it; a parameter `type` or `messageType` on its own, a CloudEvents type,
 * subject or schema id implies it.
 */
export function readTypeClaim(envelope: Envelope, contentType: ContentType | undefined): TypeClaim {
  checkOption("envelope", envelope, is.envelope);
  const { applicationProperties: own } = envelope;
  const type = parameterOf(contentType, "type");
  // With a version it is our own parameter; without one it may mean something else, e.g. `entry` in Atom's content
  // type.
  const said = parameterOf(contentType, "version") === undefined ? undefined : textOfProperty(type);
  const declared = textOfProperty(own[messageProperties.type]) ?? said;
  const version = own[messageProperties.version] ?? parameterOf(contentType, "version");
  return {
    declared,
    implied: declared === undefined ? impliedTypes(envelope, contentType) : noTypeNames,
    version: version === undefined || version === null ? undefined : integerOf(version),
  };
}

const noTypeNames: readonly string[] = [];

function impliedTypes(
  { applicationProperties: own, brokerProperties }: Envelope,
  contentType: ContentType | undefined,
): readonly string[] {
  const implied = [
    parameterOf(contentType, "type"),
    parameterOf(contentType, "messagetype"),
    ...cloudEventsTypes(own),
    brokerProperties.subject,
    schemaIdOf(own),
  ];
  return implied.filter((name) => name !== undefined);
}

/** Returns the message with its type written to it. */
export function withTypeClaim(
  message: Message,
  claim: { readonly name: string; readonly version: number },
  wire: TypeWire,
  contentType: string,
): Message {
  if (!isObject(message)) throw invalidOption("message", "must be an object");
  if (!isObject(claim)) throw invalidOption("claim", "must have a name and a version");
  if (wire === "properties") {
    const applicationProperties = {
      ...message.applicationProperties,
      [messageProperties.type]: claim.name,
      [messageProperties.version]: claim.version,
    };
    return { ...message, applicationProperties };
  }
  const { type, parameters } = parseContentType(message.contentType ?? contentType);
  const others = parameters.filter(({ name }) => !["type", "version", "messagetype"].includes(name.toLowerCase()));
  const own = [
    { name: "type", value: claim.name },
    { name: "version", value: String(claim.version) },
  ];
  return { ...message, contentType: formatContentType(type, [...others, ...own]) };
}

/** The AMQP binding uses the prefix `cloudEvents:`, older ones and JMS `cloudEvents_`, HTTP-like ones `ce-`. */
function cloudEventsTypes(own: ApplicationProperties): readonly (string | undefined)[] {
  return [own["cloudEvents:type"], own["cloudEvents_type"], own["ce-type"], own["ce_type"]].map(textOfProperty);
}

/** The id kept by the registry stage, or the GUID that Confluent's header serializers write: 1 + 16 bytes. */
function schemaIdOf(own: ApplicationProperties): string | undefined {
  const header = own["__value_schema_id"];
  if (header instanceof Uint8Array && header.byteLength === 17 && header[0] === 1) return hex(header.subarray(1));
  return textOfProperty(own[messageProperties.schemaId]);
}

function hex(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function parameterOf(contentType: ContentType | undefined, name: string): string | undefined {
  // Most have none, and this runs for every message.
  return contentType === undefined || contentType.parameters.length === 0 ? undefined : parameter(contentType, name);
}

function textOfProperty(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Integers of any AMQP type, and decimal strings. */
function integerOf(value: unknown): number {
  const plain: unknown = value instanceof Typed ? value.value : value;
  if (typeof plain === "string") return /^\d{1,10}$/.test(plain) ? Number(plain) : Number.NaN;
  if (typeof plain !== "number" && typeof plain !== "bigint") return Number.NaN;
  const number = Number(plain);
  return Number.isSafeInteger(number) && number >= 0 ? number : Number.NaN;
}
