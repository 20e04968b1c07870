import type { Decoded, DecodeContext, Decoder, Sniff } from "../../../src/codec/codec.ts";
import { limitExceeded } from "../../../src/codec/limits.ts";
import { mediaRange } from "../../../src/content-type/media-range.ts";
import { typeNameOf } from "../../../src/values/annotations.ts";
import { checkOptionNames, type OptionNames } from "../../../src/options/option-names.ts";
import { compileContract, compileContracts, type DotnetContract } from "../data-contract/contract.ts";
import { rootNameOf } from "../data-contract/type-names.ts";
import { type Contract, nameText } from "../data-contract/shape.ts";
import { ByteOffsets } from "../xml/source-text.ts";
import { jsonText } from "./json-text.ts";
import { contractFor } from "./contract-for.ts";
import type { JsonTape } from "./json-tape.ts";
import { mapJson } from "./map-json.ts";
import { readJson } from "./read-json.ts";

/** Options of {@link dataContractJson}. */
export interface DataContractJsonOptions {
  /** What the type of every body is; JSON does not name it. Default: none. */
  readonly contract?: DotnetContract;
  /**
   * What the types of bodies may be: the one class that has just the members of an object, or that its `__type` names,
   * counts. Default: none.
   */
  readonly contracts?: readonly DotnetContract[];
}

/**
 * The decoder of DataContractJsonSerializer's JSON: `"\/Date(ms+0200)\/"`, dictionaries as lists of Key and Value,
 * `__type`, bare `NaN`, `INF` and `-INF`; numbers keep every digit.
 *
 * Other JSON is read too, and mostly as the `json` codec reads it; list it behind that one.
 *
 * @throws SobreError `InvalidArgument` for a contract that is not understood, and for an unknown option.
 */
export function dataContractJson(options: DataContractJsonOptions = {}): Decoder {
  checkOptionNames(options, optionNames, { owner: "dataContractJson: " });
  const contract = options.contract === undefined ? undefined : compileContract(options.contract);
  const contracts = compileContracts(options.contracts);
  return Object.freeze({
    name: "datacontract-json",
    accepts,
    decode: (payload, context) => decodeJson(payload, context, (tape) => contract ?? contractFor(tape, contracts)),
    sniff,
  } satisfies Decoder);
}

const optionNames: OptionNames<DataContractJsonOptions> = { contract: true, contracts: true };

const accepts = Object.freeze([mediaRange("application", "json"), mediaRange("text", "json")]);

function decodeJson(
  payload: Uint8Array,
  { limits, contentType }: DecodeContext,
  choose: (tape: JsonTape) => Contract | undefined,
): Decoded {
  if (payload.length > limits.maxBytes) throw limitExceeded("maxBytes", limits, { offset: limits.maxBytes });
  const source = jsonText(payload, contentType);
  // Made anew for each question, since those come in any order.
  const offsetOf = (index: number): number => new ByteOffsets(source, payload.length).at(index);
  const tape = readJson(source.text, limits, offsetOf);
  const contract = choose(tape);
  const { body, warnings } = mapJson(tape, contract, offsetOf);
  const typeName = typeNameOf(body) ?? (contract && nameText(rootNameOf(contract.root)));
  const told = warnings.length === 0 ? {} : { warnings };
  return typeName === undefined ? { body, ...told } : { body, typeName, ...told };
}

const scanned = 65_536;

/** What only DataContractJsonSerializer writes: dates with escaped slashes, type hints, and dictionaries as entries. */
const marks =
  /"\\\/Date\(-?\d+(?:[+-]\d{4})?\)\\\/"|"__type":"[^":]+:[^"]+"|\[\{"Key":(?:"(?:[^"\\]|\\.){0,200}"|[^\s",{}[\]]{1,40}),"Value":/;

/** JSON begins with one of a few characters. */
function sniff(payload: Uint8Array): Sniff {
  const text = Buffer.from(payload.buffer, payload.byteOffset, Math.min(payload.length, scanned)).toString("latin1");
  // Texts of two or four bytes for each character.
  const head = text.includes("\0") ? text.replaceAll("\0", "") : text;
  const first = /[^\t\n\r \xef\xbb\xbf\xfe\xff]/.exec(head)?.[0] ?? "";
  if (!/[-[{"\dtfnNI]/.test(first)) return "no";
  return marks.test(head) ? "strong" : "weak";
}
