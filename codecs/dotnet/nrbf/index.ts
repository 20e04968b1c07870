import { guardedDecoder } from "../../../src/core/codec/guarded-codec.ts";
import type { DecodeContext, Decoded, Decoder, Sniff } from "../../../src/core/codec/codec.ts";
import type { DecodeLimits } from "../../../src/core/codec/limits.ts";
import { mediaRange } from "../../../src/core/content-type/media-range.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { checkOptions, type OptionChecks } from "../../../src/core/options/option-checks.ts";
import * as is from "../../../src/core/options/is.ts";
import { contractList } from "../data-contract/contract.ts";
import { enumLookup, type NrbfOptions } from "./enums.ts";
import type { NrbfDeclaredType, NrbfDocument } from "./nodes.ts";
import { RecordParser } from "./parser.ts";
import { recordTypes } from "./record-types.ts";
import { type DeclaredSettings, valueOfDocument } from "./values.ts";
import { aTimeZone } from "../../../src/core/options/time-zone.ts";

export type * from "./nodes.ts";
export type { NrbfEnum, NrbfOptions } from "./enums.ts";

/**
 * The reader of .NET's `BinaryFormatter` (MS-NRBF), `application/x-nrbf`.
 *
 * It loads, resolves and runs nothing. Primitives, strings, arrays, the usual collections, `Guid`, `DateTime`,
 * `TimeSpan`, `Uri`, `Version` and enums become values; any other object becomes its members, and `typeNameOf`
 * returns its CLR type. 64-bit integers are always bigints. Shared and cyclic references are preserved.
 *
 * @throws SobreError `InvalidArgument` for a contract that is not understood, an unknown time zone or option.
 */
export function nrbf(options: NrbfOptions = {}): Decoder {
  checkOptions(options, optionChecks, { owner: "nrbf: " });
  const { timeZone, memberNames = "written" } = options;
  const settings = options.form === "tree" ? undefined : { enums: enumLookup(options), timeZone, memberNames };
  return guardedDecoder({
    name: "nrbf",
    accepts,
    decode: (payload, context) => decode(payload, context, settings),
    sniff,
  });
}

const optionChecks: OptionChecks<NrbfOptions> = {
  form: is.oneOf("values", "tree"),
  // Checked individually when they are compiled.
  enums: is.anything,
  contracts: contractList,
  timeZone: aTimeZone,
  memberNames: is.oneOf("written", "property"),
};

const accepts = Object.freeze([mediaRange("application", "x-nrbf")]);

function decode(payload: Uint8Array, { limits }: DecodeContext, settings: DeclaredSettings | undefined): Decoded {
  const document = readNrbf(payload, limits);
  const typeName = typeNameOf(document);
  if (settings === undefined) return { body: document, typeName, warnings: warningsOf(document) };
  const { body, warnings } = valueOfDocument(document, settings, limits);
  return { body, typeName, warnings: [...warningsOf(document), ...warnings] };
}

/** Checks for the fixed bytes of the header (MS-NRBF 2.6.1), and a record that can follow it. */
function sniff(payload: Uint8Array): Sniff {
  const next = payload[17] ?? 0;
  const header = payload[0] === 0 && version.every((byte, index) => payload[9 + index] === byte);
  const follows = next > recordTypes.serializedStreamHeader && next <= recordTypes.methodReturn;
  return payload.length > 17 && header && follows ? "strong" : "no";
}

const version: readonly number[] = [1, 0, 0, 0, 0, 0, 0, 0];

function typeNameOf({ root }: NrbfDocument): string {
  if (root.kind === "class") return root.description.typeName;
  if (root.kind === "string") return "System.String";
  const of = root.kind === "array" ? declaredName(root.elementType) : `System.${root.type}`;
  return `${of}[${",".repeat(root.shape.lengths.length - 1)}]`;
}

function declaredName(type: NrbfDeclaredType): string {
  switch (type.kind) {
    case "class":
      return type.typeName;
    case "primitive":
      return `System.${type.primitive}`;
    case "primitive-array":
      return `System.${type.primitive}[]`;
    case "string":
      return "System.String";
    case "string-array":
      return "System.String[]";
    case "object":
      return "System.Object";
    case "object-array":
      return "System.Object[]";
    default:
      return type satisfies never;
  }
}

function warningsOf({ untyped }: NrbfDocument): readonly string[] {
  return untyped.map(
    (offset) =>
      `The class at byte ${offset} was written without the types of its members; they were read as if none was a bare primitive.`,
  );
}

/**
 * Reads a payload of .NET's `BinaryFormatter` (MS-NRBF) into a tree that keeps everything written, with byte offsets.
 * Nothing is loaded, resolved or run; references are not followed.
 *
 * Classes that a sender wrote without the types of their members (`FormatterTypeStyle.TypesWhenNeeded`) can be read
 * only if none of the members is a bare primitive.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload`, `TrailingBytes` or `LimitExceeded`, with the offset.
 */
export function readNrbf(payload: Uint8Array, limits: DecodeLimits): NrbfDocument {
  const parser = new RecordParser(payload, limits);
  try {
    return parser.run();
  } catch (error) {
    const [offset] = parser.untyped;
    if (offset === undefined || !(error instanceof SobreError) || error.code === "LimitExceeded") throw error;
    const text = `The class at byte ${offset} of the BinaryFormatter payload was written without the types of its members, so that it cannot be read without its assembly.`;
    throw new SobreError("DecodeFailed", text, { offset, cause: error });
  }
}
