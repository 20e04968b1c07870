import { guardedDecoder } from "../../../src/core/codec/guarded-codec.ts";
import type { DecodeContext, Decoded, Decoder, Sniff, Unwrapped } from "../../../src/core/codec/codec.ts";
import { mediaRange } from "../../../src/core/content-type/media-range.ts";
import { checkOptions, type OptionChecks } from "../../../src/core/options/option-checks.ts";
import * as is from "../../../src/core/options/is.ts";
import { compileContracts, contractList, type DotnetContract } from "../data-contract/contract.ts";
import { mapDocument } from "../data-contract/map-document.ts";
import { openedBody } from "../data-contract/opened-body.ts";
import { isSoapEnvelope, mapSoapEnvelope } from "../data-contract/soap-envelope.ts";
import { type Contract, nameText } from "../data-contract/shape.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { isLonger, sniffLimits } from "./element-limits.ts";
import { serialization, soap11, xsd, xsi } from "./namespaces.ts";
import type { XmlElement } from "./node.ts";
import { readXml } from "./read-xml.ts";

/** Options of {@link dataContractXml}. */
export interface DataContractXmlOptions {
  /**
   * The form of the body: plain values, or the structural tree (`XmlDocument`) with byte offsets and everything written.
   * Default: `values`.
   */
  readonly form?: "values" | "tree";
  /** The .NET types; the contract with the root's name applies. Default: none. */
  readonly contracts?: readonly DotnetContract[];
  /**
   * The value of text of unknown type: a number or boolean with `canonical`, if that would be written as exactly this
   * text (`01` and `1.10` stay text); always text with `text`. Default: `canonical`.
   */
  readonly untyped?: "canonical" | "text";
  /** Whether to unwrap a body of bytes that are JSON, XML, a legacy format or base64 of one. Default: false. */
  readonly unwrapBytes?: boolean;
}

/**
 * The decoder of text XML as DataContractSerializer, NetDataContractSerializer and XmlSerializer write it.
 *
 * DOCTYPE and entities other than XML's five are not supported; nothing is fetched, loaded or run. UTF-8, UTF-16 and the declared
 * charsets are read. Errors name the byte. Any other XML document becomes an object whose only member is its root, with
 * text as text and attributes as members `@name`.
 *
 * @throws SobreError `InvalidArgument` for a contract that is not understood, and for an unknown option.
 */
export function dataContractXml(options: DataContractXmlOptions = {}): Decoder {
  checkOptions(options, optionChecks, { owner: "dataContractXml: " });
  const contracts = compileContracts(options.contracts);
  return guardedDecoder({
    name: "datacontract-xml",
    accepts,
    decode: (payload, context) => decodeXml(payload, context, options, contracts),
    sniff: sniffXml,
  });
}

const optionChecks: OptionChecks<DataContractXmlOptions> = {
  form: is.oneOf("values", "tree"),
  contracts: contractList,
  untyped: is.oneOf("canonical", "text"),
  unwrapBytes: is.flag,
};

const accepts = Object.freeze([
  mediaRange("application", "xml"),
  mediaRange("text", "xml"),
  mediaRange("application", "*+xml"),
]);

function decodeXml(
  payload: Uint8Array,
  { limits, contentType, documents }: DecodeContext,
  { untyped, form, unwrapBytes = false }: DataContractXmlOptions,
  contracts: readonly Contract[],
): Decoded | Unwrapped {
  const document = readXml(payload, limits, contentType);
  documents?.set(payload, document);
  if (form === "tree") return { body: document, typeName: nameText(document.root) };
  if (isSoapFormatter(document.root)) throw soapFormatter(document.root.offset);
  const guess = untyped !== "text";
  const map = isSoapEnvelope(document.root) ? mapSoapEnvelope : mapDocument;
  const { warnings, ...read } = map(document, { contracts, guess, plainDocuments: true, limits });
  return openedBody(warnings.length === 0 ? read : { ...read, warnings }, { json: false, bytes: unwrapBytes });
}

/** Whether .NET's SoapFormatter wrote a document: an envelope in SOAP encoding, whose parts refer to each other. */
function isSoapFormatter({ local, namespace, attributes }: XmlElement): boolean {
  if (local !== "Envelope" || namespace !== soap11) return false;
  return attributes.some((one) => one.local === "encodingStyle" && one.namespace === soap11);
}

function soapFormatter(offset: number): SobreError {
  return new SobreError(
    "DecodeFailed",
    `The XML is of SoapFormatter, which no reader here reads, at byte ${offset}; read it in .NET and send it in another format.`,
    { offset },
  );
}

/** XML starts with `<` and a name, `!` or `?`; it is .NET's when it names one of .NET's namespaces. */
function sniffXml(payload: Uint8Array): Sniff {
  if (!startsLikeXml(payload)) return "no";
  try {
    const { root } = readXml(payload, sniffLimits);
    const declared = root.attributes.some(({ value }) => value === xsi || value === xsd);
    return declared || root.namespace === serialization || root.namespace.startsWith("http://schemas.")
      ? "strong"
      : "weak";
  } catch (error) {
    const says = saysXml(payload);
    if (isLonger(error)) return says ? "strong" : "weak";
    // So that its error is reported if it cannot be anything else.
    return says ? "weak" : "no";
  }
}

/** Number of bytes examined to recognize XML. */
const headLength = 1024;
const marks = /^\s*<(?:\?xml\s|[^<>]*\sxmlns(?::\w+)?\s*=\s*["']http:\/\/(?:schemas\.|www\.w3\.org\/2001\/XMLSchema))/;

/** Whether text declares that it is XML, or a namespace of .NET's serializers on its root. */
function saysXml(payload: Uint8Array): boolean {
  const head = String.fromCharCode(...payload.subarray(0, headLength).filter((byte) => !silent.has(byte)));
  return marks.test(head);
}

/** Bytes of byte-order marks, and the zero bytes of UTF-16. */
const silent: ReadonlySet<number> = new Set([0, 0xef, 0xbb, 0xbf, 0xfe, 0xff]);

function startsLikeXml(payload: Uint8Array): boolean {
  // Skips a byte-order mark, whitespace and the zero bytes of UTF-16.
  const start = payload
    .subarray(0, 64)
    .filter((byte) => byte !== 0 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf && byte < 0xfe);
  const at = start.findIndex((byte) => byte > 0x20);
  const next = start[at + 1] ?? 0;
  return start[at] === 0x3c && (/[A-Za-z_!?]/.test(String.fromCharCode(next)) || next >= 0x80);
}
