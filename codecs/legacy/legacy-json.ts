import type { Codec } from "../../src/core/codec/codec.ts";
import { checkOptions, type OptionChecks } from "../../src/core/options/option-checks.ts";
import * as is from "../../src/core/options/is.ts";
import { dataContractJson, type DotnetContract } from "../dotnet/index.ts";
import { json } from "../json/index.ts";

/** Options of {@link legacyJson}. */
export interface LegacyJsonOptions {
  /** The possible types of bodies in .NET's JSON, as in `LegacyOptions`. Default: none. */
  readonly contracts?: readonly DotnetContract[];
  /** The type of every body in .NET's JSON, whatever its members. Default: none. */
  readonly jsonContract?: DotnetContract;
  /** Whether a member `__proto__` is refused or kept as an own member. Default: `refuse`. */
  readonly protoKey?: "refuse" | "keep";
}

const optionChecks: OptionChecks<LegacyJsonOptions> = {
  contracts: is.anything,
  jsonContract: is.anything,
  protoKey: is.oneOf("refuse", "keep"),
};

/**
 * The `json` codec that reads .NET's dialect where a payload has its marks, e.g. `"\/Date(0)\/"`, or a contract fits: all of
 * JSON is read as by the command line. List it in place of `json()` and of the reader `datacontract-json`.
 *
 * @throws SobreError `InvalidArgument` for a contract that is not understood, and for an unknown option.
 * @example
 * ```ts
 * const readers = legacy().filter(({ name }) => name !== "datacontract-json");
 * const codecs = [legacyJson(), ...readers];
 * const serializer = createSerializer({ codecs, fallback: codecs, whenUnknown: "fallback" });
 * console.log(serializer.registry.decoders.length); // 9
 * ```
 */
export function legacyJson(options: LegacyJsonOptions = {}): Codec {
  checkOptions(options, optionChecks, { owner: "legacyJson: " });
  const { contracts = [], jsonContract, protoKey = "refuse" } = options;
  const rules = { contracts, protoKey };
  const dialect = dataContractJson(jsonContract === undefined ? rules : { ...rules, contract: jsonContract });
  const plain = json({ protoKey });
  return {
    ...plain,
    sniff: (payload) => (dialect.sniff?.(payload) === "no" ? "no" : (plain.sniff?.(payload) ?? "weak")),
    decode(payload, context) {
      if (dialect.sniff?.(payload) === "strong") return dialect.decode(payload, context);
      if (contracts.length === 0 && jsonContract === undefined) return plain.decode(payload, context);
      const read = dialect.decode(payload, context);
      // Without a contract for it, it is ordinary JSON.
      return "typeName" in read && read.typeName !== undefined ? read : plain.decode(payload, context);
    },
  };
}
