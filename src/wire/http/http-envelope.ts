import { checkPayload, createEnvelope, type Envelope } from "../../core/envelope/envelope.ts";
import { checkOption, checkOptions, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { type AmqpBodyForm, readAmqpBody, writeAmqpBody } from "./amqp-body.ts";
import { inAscii } from "./ascii-json.ts";
import { readBrokerProperties, settableMembers, writeMembers } from "./broker-properties-header.ts";
import { isHeaderText } from "./header-text.ts";
import { propertyHeaders, readPropertyHeaders } from "./property-headers.ts";

/** An envelope as headers and body of an HTTP request or response. */
export interface HttpEnvelope {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Options of {@link envelopeToHttp}. */
export interface HttpEnvelopeOptions {
  /**
   * The form of AMQP value and sequence bodies: `encoded` as bytes under `application/x-amqp-value`, `json` under
   * `application/json; amqp=value` (or `sequence`), with `$` objects for values that JSON lacks. Default: `encoded`.
   */
  readonly amqpBody?: "encoded" | "json" | undefined;
}

const optionChecks: OptionChecks<HttpEnvelopeOptions> = { amqpBody: is.oneOf("encoded", "json") };

/**
 * Writes an envelope in the form of Service Bus's runtime REST API: broker properties as JSON in one header, each
 * application property in a separate header. Properties whose names are not safe there (one that HTTP or a browser acts on,
 * such as `Clear-Site-Data`, and any other with a hyphen) are members of a JSON object in the header `sobre-properties`.
 *
 * The header `sobre-omitted-properties` lists, as a JSON array, the application properties whose values no header can
 * carry; if the list is incomplete, `sobre-omitted-count` is their number.
 *
 * @throws SobreError `InvalidArgument` naming the argument or option.
 * @example
 * const { headers, body } = envelopeToHttp(envelope);
 * const request = new Request("http://localhost:5672/orders/messages", { method: "POST", headers, body });
 * console.log(request.method, request.headers.has("brokerproperties")); // POST true
 */
export function envelopeToHttp(envelope: Envelope, options: HttpEnvelopeOptions = {}): HttpEnvelope {
  checkOption("envelope", envelope, is.envelope);
  checkOptions(options, optionChecks, { owner: "envelopeToHttp: " });
  return httpEnvelope(envelope, writeMembers(settableMembers(envelope)), options.amqpBody ?? "encoded");
}

/** The headers and body of an envelope around a `BrokerProperties` header. */
export function httpEnvelope(envelope: Envelope, brokerProperties: string, form: AmqpBodyForm): HttpEnvelope {
  const { applicationProperties } = envelope;
  const { contentType, body } = bodyOf(envelope, form);
  const written = propertyHeaders(applicationProperties);
  const headers = {
    ...written.headers,
    ...omissionHeaders(written.omitted),
    BrokerProperties: brokerProperties,
    ...(contentType === undefined ? {} : { "content-type": contentType }),
  };
  return { headers, body };
}

function bodyOf(
  { payload, bodyKind, brokerProperties: { contentType } }: Envelope,
  form: AmqpBodyForm,
): { readonly contentType: string | undefined; readonly body: Uint8Array } {
  if (bodyKind !== "data") return writeAmqpBody(payload, bodyKind, form);
  return {
    contentType: contentType !== undefined && isHeaderText(contentType) ? contentType : undefined,
    body: payload,
  };
}

/** Maximum length of the list of omitted names: clients read 16 KiB of headers in all. */
const maxListLength = 4096;

/** Headers that name properties which were left out; none when there are none. */
export function omissionHeaders(names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const shown: string[] = [];
  let length = 0;
  for (const name of names) {
    const quoted = inAscii(JSON.stringify(name));
    length += quoted.length + 1;
    if (length > maxListLength) break;
    shown.push(quoted);
  }
  const count = shown.length < names.length ? { "sobre-omitted-count": String(names.length) } : {};
  return { "sobre-omitted-properties": `[${shown.join(",")}]`, ...count };
}

/**
 * Reads an envelope from the headers, as alternating names and values, and the body of a request or response.
 *
 * @throws SobreError `InvalidArgument`, and as `createEnvelope` does.
 */
export function envelopeFromHttp(rawHeaders: readonly string[], body: Uint8Array): Envelope {
  checkOption("rawHeaders", rawHeaders, is.listOf("strings", is.text));
  const contentType = headerOf(rawHeaders, "content-type");
  const contentEncoding = headerOf(rawHeaders, "content-encoding");
  const { payload, bodyKind } = readAmqpBody(contentType, checkPayload(body));
  const brokerProperties = {
    ...(bodyKind === "data" ? { contentType } : {}),
    ...(contentEncoding === undefined ? {} : { contentEncoding }),
    ...readBrokerProperties(headerOf(rawHeaders, "brokerproperties")),
  };
  const applicationProperties = readPropertyHeaders(rawHeaders);
  return createEnvelope({ payload, bodyKind, brokerProperties, applicationProperties });
}

function headerOf(rawHeaders: readonly string[], wanted: string): string | undefined {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);
  return at === -1 ? undefined : rawHeaders[at + 1];
}
