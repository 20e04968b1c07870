import { guardedDecoder } from "../../../src/core/codec/guarded-codec.ts";
import type { DecodeContext, Decoded, Decoder, Sniff } from "../../../src/core/codec/codec.ts";
import { limitExceeded } from "../../../src/core/codec/limits.ts";
import type { Charset } from "../../../src/core/content-type/charset.ts";
import { declaredCharset } from "../../../src/core/content-type/declared-charset.ts";
import type { ContentType } from "../../../src/core/content-type/content-type.ts";
import { mediaRange } from "../../../src/core/content-type/media-range.ts";
import { checkOptions, type OptionChecks } from "../../../src/core/options/option-checks.ts";
import * as is from "../../../src/core/options/is.ts";
import { typeNameOf } from "../../../src/core/values/annotations.ts";
import { compileContract, compileContracts, contractList, type DotnetContract } from "../data-contract/contract.ts";
import { type Contract, nameText, type ObjectShape, type ResolvedShape } from "../data-contract/shape.ts";
import { rootNameOf } from "../data-contract/type-names.ts";
import { jsonKind, type JsonTape } from "./json-tape.ts";
import { mapJson, typeOf } from "./map-json.ts";
import { refuseProtoKey } from "./proto-key.ts";
import { readJson } from "./read-json.ts";
import { ByteOffsets, decoded, type SourceText } from "../xml/source-text.ts";

/** Options of {@link dataContractJson}. */
export interface DataContractJsonOptions {
  /** The type of every body; JSON does not name it. Default: none. */
  readonly contract?: DotnetContract;
  /**
   * The possible types of bodies: the only class with exactly the members of an object, or the one that its `__type`
   * names, applies. Default: none.
   */
  readonly contracts?: readonly DotnetContract[];
  /**
   * Whether a member `__proto__` is kept as an own member, or refused. `legacy()` and `legacyJson()` refuse it by default, like
   * `json()`. Default: `keep`.
   */
  readonly protoKey?: "refuse" | "keep";
}

/**
 * The decoder of DataContractJsonSerializer's JSON: `"\/Date(ms+0200)\/"`, dictionaries as lists of Key and Value,
 * `__type`, bare `NaN`, `INF` and `Infinity`; numbers keep every digit.
 *
 * Other JSON is read too, mostly with the same result as from the `json` codec; list it after that one.
 *
 * @throws SobreError `InvalidArgument` for a contract that is not understood, and for an unknown option.
 */
export function dataContractJson(options: DataContractJsonOptions = {}): Decoder {
  checkOptions(options, optionChecks, { owner: "dataContractJson: " });
  const contract = options.contract === undefined ? undefined : compileContract(options.contract);
  const contracts = compileContracts(options.contracts);
  return guardedDecoder({
    name: "datacontract-json",
    accepts,
    decode: (payload, context) =>
      decodeJson(payload, context, {
        choose: (tape) => contract ?? contractFor(tape, contracts),
        refuses: options.protoKey === "refuse",
      }),
    sniff,
  });
}

const optionChecks: OptionChecks<DataContractJsonOptions> = {
  contract: is.anything,
  contracts: contractList,
  protoKey: is.oneOf("refuse", "keep"),
};

const accepts = Object.freeze([mediaRange("application", "json"), mediaRange("text", "json")]);

function decodeJson(
  payload: Uint8Array,
  { limits, contentType }: DecodeContext,
  { choose, refuses }: { readonly choose: (tape: JsonTape) => Contract | undefined; readonly refuses: boolean },
): Decoded {
  if (payload.length > limits.maxBytes) throw limitExceeded("maxBytes", limits, { offset: limits.maxBytes });
  const source = jsonText(payload, contentType);
  // Created for each call, since calls come in any order.
  const offsetOf = (index: number): number => new ByteOffsets(source, payload.length).at(index);
  const tape = readJson(source.text, limits, offsetOf);
  if (refuses) refuseProtoKey(tape, offsetOf);
  const contract = choose(tape);
  const { body, warnings } = mapJson(tape, contract, limits);
  const typeName = typeNameOf(body) ?? (contract && nameText(rootNameOf(contract.root)));
  const told = warnings.length === 0 ? {} : { warnings };
  return typeName === undefined ? { body, ...told } : { body, typeName, ...told };
}

const scanned = 65_536;

/**
 * Marks that only .NET's serializers write: dates with escaped slashes, type hints, fields of properties, dictionaries as entries,
 * bare NaN and infinities, and rows as XML.
 */
const marks =
  /"\\\/Date\(-?\d+(?:[+-]\d{4})?\)\\\/"|"__type":"[^":]+:[^"]+"|"(?:<|\\u003[cC])\w+(?:>|\\u003[eE])k__BackingField":|\[\{"Key":(?:"(?:[^"\\]|\\.){0,200}"|[^\s",{}[\]]{1,40}),"Value":|[[:,]\s*(?:NaN|-?INF|-?Infinity)\s*[\],}]|=\\"urn:schemas-microsoft-com:xml-(?:msdata|diffgram-v1)\\"/;

/** JSON starts with one of a few characters. */
function sniff(payload: Uint8Array): Sniff {
  const text = Buffer.from(payload.buffer, payload.byteOffset, Math.min(payload.length, scanned)).toString("latin1");
  // Encodings with two or four bytes per character.
  const head = text.includes("\0") ? text.replaceAll("\0", "") : text;
  const first = /[^\t\n\r \xef\xbb\xbf\xfe\xff]/.exec(head)?.[0] ?? "";
  if (!/[-[{"\dtfnNI]/.test(first)) return "no";
  return marks.test(head) ? "strong" : "weak";
}

/**
 * The only contract with a class that a JSON object fits, with that class as its root; `undefined` if several fit or none.
 *
 * DataContractJsonSerializer writes every member of a class, null or not, except those with `EmitDefaultValue = false`.
 */
function contractFor(tape: JsonTape, contracts: readonly Contract[]): Contract | undefined {
  if (tape.kind(0) !== jsonKind.object || contracts.length === 0) return undefined;
  const type = typeOf(tape, 0);
  const names = new Set(tape.names(0).filter((name) => name !== "__type"));
  const fitting = new Map<string, Contract>();
  for (const contract of contracts) {
    for (const shape of [contract.root, ...contract.known.values()]) {
      if (shape.kind !== "object") continue;
      const name = nameText(shape.name);
      const fits = type === undefined ? hasMembers(shape, names) : nameText(type) === name;
      // A class's own contract takes precedence over one that only refers to it.
      if (fits && (!fitting.has(name) || contract.root === shape)) fitting.set(name, rooted(contract, shape));
    }
  }
  const [only, ...more] = fitting.values();
  return more.length === 0 ? only : undefined;
}

function rooted(contract: Contract, root: ResolvedShape): Contract {
  return contract.root === root ? contract : { ...contract, root };
}

function hasMembers({ members, byName }: ObjectShape, names: ReadonlySet<string>): boolean {
  return (
    names.size > 0 &&
    [...names].every((name) => byName.has(name)) &&
    members.every(({ name, omitDefault }) => omitDefault || names.has(name))
  );
}

/**
 * Decodes JSON: by its byte-order mark, by the zero bytes of UTF-16, by the charset of the content type, or as UTF-8.
 *
 * In no other charset does JSON contain zero bytes: a sender that declares one anyway declares it for all its bodies.
 *
 * @throws SobreError `UnknownCharset`, or `DecodeFailed` for bytes that are not in the charset.
 */
function jsonText(payload: Uint8Array, contentType: ContentType | undefined): SourceText {
  return decoded(payload, () => zeroBytes(payload) ?? declared(contentType));
}

function declared(contentType: ContentType | undefined): Charset | undefined {
  const charset = declaredCharset(contentType);
  return charset === "utf-16" ? undefined : charset;
}

function zeroBytes(payload: Uint8Array): Charset | undefined {
  if (payload.length < 2) return undefined;
  return payload[1] === 0 ? "utf-16le" : payload[0] === 0 ? "utf-16be" : undefined;
}
