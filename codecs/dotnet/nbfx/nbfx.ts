import { guardedCodec } from "../../../src/core/codec/guarded-codec.ts";
import type { Codec, DecodeContext, Decoded, Encoded, Sniff, Unwrapped } from "../../../src/core/codec/codec.ts";
import { mediaRange } from "../../../src/core/content-type/media-range.ts";
import { checkOptions, type OptionChecks } from "../../../src/core/options/option-checks.ts";
import * as is from "../../../src/core/options/is.ts";
import { compileContracts, contractList, type DotnetContract } from "../data-contract/contract.ts";
import { mapDocument } from "../data-contract/map-document.ts";
import { openedBody } from "../data-contract/opened-body.ts";
import { isSoapEnvelope, mapSoapEnvelope } from "../data-contract/soap-envelope.ts";
import { type Contract, nameText } from "../data-contract/shape.ts";
import { contractFor } from "./contract-choice.ts";
import { beginsWithTable, isEnvelope, type NbfxReadOptions, readNbfxDocument } from "./read-document.ts";
import { record } from "./records.ts";
import { type NbfxWriteOptions, writeNbfxDocument } from "./write-document.ts";
import { aTimeZone } from "../../../src/core/options/time-zone.ts";
import { isLonger, sniffLimits } from "../xml/element-limits.ts";
import { xsi } from "../xml/namespaces.ts";

/** Options of {@link nbfx}. */
export interface NbfxOptions extends Omit<NbfxReadOptions, "soap"> {
  /**
   * The form of a decoded body: plain values, or the structural tree (`XmlDocument`) with byte offsets and everything
   * written. Default: `values`.
   */
  readonly form?: "values" | "tree";
  /** The .NET types, for facts that the bytes leave out; the contract with the root's name applies. Default: none. */
  readonly contracts?: readonly DotnetContract[];
  /**
   * Whether numbers with a type named in the document keep it, as typed values, so that a body is written as it was read.
   * Default: false.
   */
  readonly keepTypes?: boolean;
  /** Whether to number every object on writing (`preserveObjectReferences`). Default: false. */
  readonly preserveReferences?: boolean;
  /**
   * Whether to unwrap a body that is one string, or its bytes, if the content type says JSON and the string is JSON.
   * Default: true.
   */
  readonly unwrapJson?: boolean;
  /** Whether to unwrap a body of bytes that are JSON, XML, a legacy format or base64 of one. Default: false. */
  readonly unwrapBytes?: boolean;
}

/**
 * The codec of .NET binary XML (MC-NBFX): reads what `new BrokeredMessage(obj)` and NetDataContractSerializer write, and
 * writes what `GetBody<T>()` reads.
 *
 * Reading: nothing is loaded or run; type names are only text. Without a contract, values have the types of the records;
 * Guid, char, enum, TimeSpan, ulong and Uri are then text or numbers, and the strings "0" and "1" are numbers. Shared
 * references are preserved. Errors name the byte. A WCF SOAP message is `{ Header, Body }`, with the type of the first part of its body.
 *
 * Writing: scalars by their own type; everything else by a contract. Of several, the type is chosen by the content-type
 * parameter `messageType` (`Order`, `Acme.Order` or `{urn:orders}Order`), else by the body's own type name, else as the only
 * class with exactly the members of the body.
 *
 * @throws SobreError `InvalidArgument` for a contract that is not understood, an unknown time zone or option.
 */
export function nbfx(options: NbfxOptions = {}): Codec {
  checkOptions(options, optionChecks, { owner: "nbfx: " });
  const contracts = compileContracts(options.contracts);
  return guardedCodec({
    name: "nbfx",
    contentType: "application/x-nbfx",
    encode: (body, { contentType }) =>
      encodeNbfx(body, {
        contract: contractFor(body, contracts, contentType),
        preserveReferences: options.preserveReferences,
      }),
    accepts,
    decode: (payload, context) => decodeNbfx(payload, context, options, contracts),
    sniff: (payload) => sniffNbfx(payload, options),
  });
}

const optionChecks: OptionChecks<NbfxOptions> = {
  form: is.oneOf("values", "tree"),
  contracts: contractList,
  timeZone: aTimeZone,
  keepTypes: is.flag,
  preserveReferences: is.flag,
  unwrapJson: is.flag,
  unwrapBytes: is.flag,
  stringTable: is.flag,
  dictionary: is.listOf("strings", is.text),
  session: is.listOf("strings", is.text),
};

function encodeNbfx(body: unknown, options: NbfxWriteOptions): Encoded {
  return { payload: body === undefined ? new Uint8Array(0) : writeNbfxDocument(body, options) };
}

/** The type of WCF's binary messages whose strings are numbered in a session. */
const session = "soap+msbinsession1";

const accepts = Object.freeze(["x-nbfx", "soap+msbin1", session].map((subtype) => mediaRange("application", subtype)));

function decodeNbfx(
  payload: Uint8Array,
  { limits, contentType, documents }: DecodeContext,
  options: NbfxOptions,
  contracts: readonly Contract[],
): Decoded | Unwrapped {
  const isSession = contentType?.type === `application/${session}`;
  const soap = isSession || contentType?.type === "application/soap+msbin1";
  const stringTable = isSession ? true : undefined;
  const document = readNbfxDocument(payload, limits, { stringTable, soap, ...options });
  documents?.set(payload, document);
  if (options.form === "tree") return { body: document, typeName: nameText(document.root) };
  const map = isSoapEnvelope(document.root) ? mapSoapEnvelope : mapDocument;
  const { warnings, ...read } = map(document, { contracts, guess: false, keepTypes: options.keepTypes, limits });
  const isJson = contentType !== undefined && /^(?:application|text)\/(?:[^;]*\+)?json$/.test(contentType.type);
  return openedBody(warnings.length === 0 ? read : { ...read, warnings }, {
    json: isJson && options.unwrapJson !== false,
    bytes: options.unwrapBytes === true,
  });
}

/** All output of .NET's serializers contains a namespace that starts like this, or declares that of `xsi`. */
const schemas = "http://schemas.";

/**
 * Whether bytes are .NET binary XML: they start with an element and parse to the last byte.
 *
 * `strong` when the root is in one of .NET's namespaces or declares that of `xsi:type`; texts that start with `@` do
 * neither. A payload that only starts like this and names one of .NET's namespaces is `weak`, so that its reader reports the error.
 */
function sniffNbfx(payload: Uint8Array, options: NbfxReadOptions): Sniff {
  const first = payload[0] ?? 0;
  const named =
    first === record.shortElement ||
    first === record.element ||
    (first >= record.prefixElementA && first <= record.prefixElementZ);
  const numbered = options.dictionary !== undefined || options.session !== undefined;
  const isSoap = isEnvelope(payload, 0) || beginsWithTable(payload);
  const mayBegin = named || isSoap || (numbered && first > record.element && first < record.prefixElementA);
  if (!mayBegin) return "no";
  try {
    const { root } = readNbfxDocument(payload, sniffLimits, options);
    const declares = root.attributes.some(({ value }) => value === xsi);
    return declares || isSoapEnvelope(root) || root.namespace.startsWith(schemas) ? "strong" : "weak";
  } catch (error) {
    const says = isSoap || namesDotnet(payload);
    if (isLonger(error)) return says ? "strong" : "weak";
    return says ? "weak" : "no";
  }
}

/** Bytes in which a root has declared its namespaces. */
const headLength = 512;

function namesDotnet(payload: Uint8Array): boolean {
  const head = String.fromCharCode(...payload.subarray(0, headLength));
  return head.includes(schemas) || head.includes(xsi);
}
