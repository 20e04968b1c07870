import type { Decoder } from "../../src/core/codec/codec.ts";
import { checkOptions, type OptionChecks } from "../../src/core/options/option-checks.ts";
import * as is from "../../src/core/options/is.ts";
import {
  dataContractJson,
  dataContractXml,
  jsonNet,
  type DataContractXmlOptions,
  type DotnetContract,
  nbfx,
  nrbf,
  type NrbfOptions,
} from "../dotnet/index.ts";
import { java } from "../java/index.ts";
import { base64 } from "./base64.ts";
import { byteOrderMark } from "./byte-order-mark.ts";
import { gzip, rawDeflate, zlib } from "./compressed.ts";

export { base64 } from "./base64.ts";
export { byteOrderMark } from "./byte-order-mark.ts";
export { gzip, rawDeflate, zlib } from "./compressed.ts";
export { legacyJson, type LegacyJsonOptions } from "./legacy-json.ts";

/** Options of {@link legacy}. */
export interface LegacyOptions {
  /**
   * The .NET types, for facts that payloads leave out. The contract with the root's name applies; in .NET's JSON, the only
   * class with exactly the members of the object. Default: none.
   */
  readonly contracts?: readonly DotnetContract[];
  /** The type of every body in .NET's JSON, whatever its members. Default: none. */
  readonly jsonContract?: DotnetContract;
  /**
   * The IANA zone of the senders, e.g. `Europe/Madrid`: .NET's binary formats write local times, and Java dates, without their offset.
   * Default: the zone of this process.
   */
  readonly timeZone?: string;
  /** Options of the BinaryFormatter reader besides the contracts. */
  readonly nrbf?: Omit<NrbfOptions, "contracts">;
  /** Options of the XML reader besides the contracts. */
  readonly xml?: Omit<DataContractXmlOptions, "contracts" | "unwrapBytes">;
  /** Whether to unwrap .NET byte arrays that contain JSON, XML, a legacy format or base64 of one, and such base64 itself. Default: true. */
  readonly unwrapBytes?: boolean;
  /** Whether to resolve the `$type`, `$values` and `$ref` of Json.NET; its reader then comes first. Default: false. */
  readonly jsonNet?: boolean;
  /**
   * Whether the readers of JSON refuse a member `__proto__`, or keep it as an own member; give `json()` the same. XML and the
   * binary formats keep it. Default: `refuse`.
   */
  readonly protoKey?: "refuse" | "keep";
  /** Whether to decompress bare deflate streams, which have no signature. Default: false. */
  readonly rawDeflate?: boolean;
}

const optionChecks: OptionChecks<LegacyOptions> = {
  // The readers check theirs.
  contracts: is.anything,
  jsonContract: is.anything,
  timeZone: is.anything,
  nrbf: is.anything,
  xml: is.anything,
  unwrapBytes: is.flag,
  jsonNet: is.flag,
  protoKey: is.oneOf("refuse", "keep"),
  rawDeflate: is.flag,
};

/**
 * All readers of legacy payloads, those with the most distinctive first bytes first: compressed data, Java, .NET's
 * BinaryFormatter, text with a byte-order mark, .NET's binary XML, XML and JSON, and base64 of any.
 *
 * None of them is enabled unless listed: pass them to a serializer as codecs, and list them in its fallback, before
 * MessagePack and after `json`.
 *
 * @throws SobreError `InvalidArgument` for a contract that is not understood, an unknown time zone or option.
 * @example
 * ```ts
 * const readers = legacy({ timeZone: "Europe/Madrid" });
 * const serializer = createSerializer({ codecs: [json(), ...readers], fallback: readers, whenUnknown: "fallback" });
 * console.log(serializer.registry.decoders.length); // 10
 * ```
 */
export function legacy(options: LegacyOptions = {}): readonly Decoder[] {
  checkOptions(options, optionChecks, { owner: "legacy: " });
  const { contracts = [], jsonContract, timeZone, unwrapBytes = true, protoKey = "refuse" } = options;
  const zone = timeZone === undefined ? {} : { timeZone };
  return Object.freeze([
    ...(options.jsonNet === true ? [jsonNet({ protoKey })] : []),
    gzip(),
    java(zone),
    nrbf({ ...zone, ...options.nrbf, contracts }),
    byteOrderMark(),
    nbfx({ ...zone, contracts, unwrapBytes }),
    dataContractXml({ ...options.xml, contracts, unwrapBytes }),
    dataContractJson({ contracts, protoKey, ...(jsonContract === undefined ? {} : { contract: jsonContract }) }),
    zlib(),
    ...(unwrapBytes ? [base64()] : []),
    ...(options.rawDeflate === true ? [rawDeflate()] : []),
  ]);
}
