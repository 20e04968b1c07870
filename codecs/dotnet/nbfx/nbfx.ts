import type { Decoded, DecodeContext, Decoder, Unwrapped } from "../../../src/codec/codec.ts";
import { mediaRange } from "../../../src/content-type/media-range.ts";
import { compileContract, type DotnetContract } from "../data-contract/contract.ts";
import { mapDocument } from "../data-contract/map-document.ts";
import type { Contract } from "../data-contract/shape.ts";
import { type NbfxReadOptions, readNbfxDocument } from "./read-document.ts";
import { sniffNbfx } from "./sniff.ts";

/** Options of {@link nbfx}. */
export interface NbfxOptions extends NbfxReadOptions {
  /** What the types are, for what the bytes do not tell; the one whose name the root bears counts. Default: none. */
  readonly contracts?: readonly DotnetContract[];
  /** Whether a body that is one string is opened when the content type says JSON. Default: true. */
  readonly unwrapJson?: boolean;
}

/**
 * The decoder of .NET binary XML (MC-NBFX), as `new BrokeredMessage(obj)` and NetDataContractSerializer write it.
 *
 * Nothing is loaded or run: type names are text. Without a contract, values are what the records say; Guid, char,
 * enum, TimeSpan, ulong and Uri then come as text or numbers, and the strings "0" and "1" as numbers. Shared references
 * stay shared. Errors name the byte.
 *
 * @throws SobreError `InvalidArgument` for a contract that is not understood.
 */
export function nbfx(options: NbfxOptions = {}): Decoder {
  const contracts = (options.contracts ?? []).map(compileContract);
  return Object.freeze({
    name: "nbfx",
    accepts,
    decode: (payload, context) => decodeNbfx(payload, context, options, contracts),
    sniff: (payload) => sniffNbfx(payload, options),
  } satisfies Decoder);
}

const accepts = Object.freeze([mediaRange("application", "x-nbfx")]);

function decodeNbfx(
  payload: Uint8Array,
  { limits, contentType }: DecodeContext,
  options: NbfxOptions,
  contracts: readonly Contract[],
): Decoded | Unwrapped {
  const document = readNbfxDocument(payload, limits, options);
  const { body, typeName, warnings } = mapDocument(document, { contracts, guess: false, limits });
  const isJson = contentType !== undefined && /^(?:application|text)\/(?:[^;]*\+)?json$/.test(contentType.type);
  if (isJson && typeof body === "string" && options.unwrapJson !== false) {
    return { unwrapped: new TextEncoder().encode(body) };
  }
  return warnings.length === 0 ? { body, typeName } : { body, typeName, warnings };
}
