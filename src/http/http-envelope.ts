import { decodeValues } from "../amqp/values/read-value.ts";
import { parseContentType } from "../content-type/content-type.ts";
import { parameter } from "../content-type/parameter.ts";
import { type BodyKind, checkPayload, createEnvelope, type Envelope } from "../envelope/envelope.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { anEnvelope, checkOption, listOf, text } from "../options/option-checks.ts";
import { readBrokerProperties, settableMembers, writeMembers } from "./broker-properties-header.ts";
import { omittedProperties, readPropertyHeaders, writePropertyHeaders } from "./property-headers.ts";

/** The media type of bodies that are AMQP values. */
const amqpType = "application/x-amqp-value";

/** An envelope as an HTTP request or answer. */
export interface HttpEnvelope {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Writes an envelope as the runtime REST API of Service Bus has it: broker properties as JSON in one header,
 * each application property in a header of its own.
 *
 * The header `sobre-omitted-properties` names, as a JSON array, the application properties that no header can carry.
 *
 * @example
 * const { headers, body } = envelopeToHttp(envelope);
 * const request = new Request("http://localhost:5672/orders/messages", { method: "POST", headers, body });
 * console.log(request.method, request.headers.has("brokerproperties")); // POST true
 */
export function envelopeToHttp(envelope: Envelope): HttpEnvelope {
  checkOption("envelope", envelope, anEnvelope);
  return { headers: envelopeHeaders(envelope, writeMembers(settableMembers(envelope))), body: envelope.payload };
}

/** The headers of an envelope around a `BrokerProperties` header. */
export function envelopeHeaders(envelope: Envelope, brokerProperties: string): Record<string, string> {
  const { applicationProperties } = envelope;
  const headers = { ...writePropertyHeaders(applicationProperties), BrokerProperties: brokerProperties };
  const contentType = contentTypeOf(envelope);
  const omitted = omittedProperties(applicationProperties);
  return {
    ...headers,
    ...(contentType === undefined ? {} : { "content-type": contentType }),
    ...(omitted.length === 0 ? {} : { "sobre-omitted-properties": listInAscii(omitted) }),
  };
}

const listInAscii = (names: readonly string[]): string =>
  JSON.stringify(names.slice(0, 100)).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * Reads an envelope from the headers, as names and values in turn, and the body of a request or answer.
 *
 * @throws SobreError `InvalidArgument`, and as `createEnvelope` does.
 */
export function envelopeFromHttp(rawHeaders: readonly string[], body: Uint8Array): Envelope {
  checkOption("rawHeaders", rawHeaders, listOf("strings", text));
  const contentType = headerOf(rawHeaders, "content-type");
  const bodyKind = kindOf(contentType);
  checkPayload(body);
  if (bodyKind === "value" && decodeValues(body).length !== 1)
    throw new SobreError("InvalidArgument", "The body is not the one AMQP value that its media type promises.");
  if (bodyKind === "sequence") decodeValues(body);
  const brokerProperties = {
    ...(bodyKind === "data" ? { contentType } : {}),
    ...readBrokerProperties(headerOf(rawHeaders, "brokerproperties")),
  };
  return createEnvelope({
    payload: body,
    bodyKind,
    brokerProperties,
    applicationProperties: readPropertyHeaders(rawHeaders),
  });
}

function headerOf(rawHeaders: readonly string[], wanted: string): string | undefined {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);
  return at === -1 ? undefined : rawHeaders[at + 1];
}

function kindOf(contentType: string | undefined): BodyKind {
  if (contentType === undefined || !contentType.toLowerCase().startsWith(amqpType)) return "data";
  return parameter(parseContentType(contentType), "body") === "sequence" ? "sequence" : "value";
}

function contentTypeOf({ bodyKind, brokerProperties }: Envelope): string | undefined {
  if (bodyKind === "sequence") return `${amqpType}; body=sequence`;
  if (bodyKind === "value") return amqpType;
  const { contentType } = brokerProperties;
  // A header cannot hold anything else.
  return contentType !== undefined && /^[\t\u0020-\u007e]*$/.test(contentType) ? contentType : undefined;
}
