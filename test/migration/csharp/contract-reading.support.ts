import { dataContractJson, dataContractXml, type DotnetContract, nbfx } from "../../../codecs/dotnet/index.ts";
import type { Decoder } from "../../../src/core/codec/index.ts";
import { valueToJson } from "../../../src/core/values/value-json.ts";
import { decode } from "../../codecs/dotnet/decoding.support.ts";

/** A payload that Mono wrote. */
export interface Written {
  readonly name: string;
  /** nbfx, dcs (text XML), json, or xs (XmlSerializer). */
  readonly family: string;
  readonly base64: string;
}

function readerOf(family: string, contract: DotnetContract): Decoder {
  const contracts = [contract];
  if (family === "nbfx") return nbfx({ contracts, timeZone: "Europe/Madrid" });
  return family === "json" ? dataContractJson({ contracts }) : dataContractXml({ contracts });
}

/** The value of a payload by a contract, and its warnings. */
export function readWith(contract: DotnetContract, { family, base64 }: Pick<Written, "family" | "base64">): unknown {
  const decoded = decode(readerOf(family, contract), new Uint8Array(Buffer.from(base64, "base64")));
  if (!("body" in decoded)) return undefined;
  return { value: valueToJson(decoded.body), warnings: decoded.warnings ?? [] };
}
