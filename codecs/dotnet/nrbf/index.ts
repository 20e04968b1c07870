import type { Decoded, Decoder, DecodeContext, Sniff } from "../../../src/codec/codec.ts";
import { mediaRange } from "../../../src/content-type/media-range.ts";
import { checkOptional, oneOf } from "../../../src/options/option-checks.ts";
import { checkOptionNames, type OptionNames } from "../../../src/options/option-names.ts";
import { checkTimeZone } from "../time-zone.ts";
import { enumLookup } from "./enums.ts";
import type { DeclaredType, NrbfDocument } from "./nodes.ts";
import type { NrbfOptions } from "./options.ts";
import { readNrbf } from "./read-nrbf.ts";
import { recordTypes } from "./record-types.ts";
import { type DeclaredSettings, valueOfDocument } from "./values.ts";

export type * from "./nodes.ts";
export type { NrbfEnum, NrbfOptions } from "./options.ts";
export { readNrbf } from "./read-nrbf.ts";

/**
 * The reader of .NET's `BinaryFormatter` (MS-NRBF), `application/x-nrbf`.
 *
 * It loads, resolves and runs nothing. Primitives, strings, arrays, the usual collections, `Guid`, `DateTime`,
 * `TimeSpan`, `Uri`, `Version` and enums become values; any other object becomes its members, with its CLR type as
 * `typeNameOf` tells. 64-bit integers are bigints always. What is shared or cyclic stays so.
 *
 * @throws SobreError `InvalidArgument` for a contract that is not understood, an unknown time zone or option.
 */
export function nrbf(options: NrbfOptions = {}): Decoder {
  const { timeZone, memberNames = "written" } = options;
  checkOptionNames(options, optionNames, { owner: "nrbf: " });
  checkOptional("form", options.form, oneOf("values", "tree"));
  checkOptional("memberNames", memberNames, oneOf("written", "property"));
  checkTimeZone("nrbf", timeZone);
  const settings = options.form === "tree" ? undefined : { enums: enumLookup(options), timeZone, memberNames };
  return Object.freeze({
    name: "nrbf",
    accepts,
    decode: (payload, context) => decode(payload, context, settings),
    sniff,
  } satisfies Decoder);
}

const optionNames: OptionNames<NrbfOptions> = {
  form: true,
  enums: true,
  contracts: true,
  timeZone: true,
  memberNames: true,
};

const accepts = Object.freeze([mediaRange("application", "x-nrbf")]);

function decode(payload: Uint8Array, { limits }: DecodeContext, settings: DeclaredSettings | undefined): Decoded {
  const document = readNrbf(payload, limits);
  const typeName = typeNameOf(document);
  if (settings === undefined) return { body: document, typeName, warnings: warningsOf(document) };
  const { body, warnings } = valueOfDocument(document, settings, limits);
  return { body, typeName, warnings: [...warningsOf(document), ...warnings] };
}

/** The fixed bytes of the header (MS-NRBF 2.6.1), and a record that can follow it. */
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

function declaredName(type: DeclaredType): string {
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
