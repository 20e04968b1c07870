import { guardedDecoder } from "../../src/core/codec/guarded-codec.ts";
import type { DecodeContext, Decoded, Decoder, Sniff } from "../../src/core/codec/codec.ts";
import { mediaRange } from "../../src/core/content-type/media-range.ts";
import { checkOptions, type OptionChecks } from "../../src/core/options/option-checks.ts";
import * as is from "../../src/core/options/is.ts";
import { aTimeZone } from "../../src/core/options/time-zone.ts";
import { javaTimeType } from "./java-time.ts";
import type { ContentNode } from "./nodes.ts";
import { type JavaStream, readStream } from "./read-stream.ts";
import { streamHeader } from "./type-codes.ts";
import { valueOfStream } from "./values.ts";

export type {
  ArrayNode,
  BlockDataNode,
  ClassDescriptionNode,
  ClassNode,
  ContentNode,
  EnumNode,
  FieldDescription,
  HandledNode,
  Located,
  NullNode,
  ObjectNode,
  ObjectPart,
  PrimitiveArrayNode,
  PrimitiveCode,
  PrimitiveNode,
  ReferenceNode,
  ResetNode,
  StringNode,
} from "./nodes.ts";
export { type JavaStream, readStream } from "./read-stream.ts";

/** Options of {@link java}. */
export interface JavaOptions {
  /**
   * The form of the body: plain values, or the structural tree (`JavaStream`) with byte offsets and everything written.
   * Default: `values`.
   */
  readonly form?: "values" | "tree";
  /**
   * The IANA zone of the senders, e.g. `Europe/Madrid`, for dates (`java.sql.Date`), which are written as an instant.
   * Default: none; then a date is read as that instant, with a warning.
   */
  readonly timeZone?: string;
}

/**
 * The reader of Java object streams (`ObjectOutputStream`), `application/x-java-serialized-object`.
 *
 * It loads, resolves and runs nothing. Boxed types, strings, the JDK's collections, `BigDecimal`, dates, `java.time`,
 * UUIDs, URIs and enums become values; any other object becomes its fields, and `typeNameOf` returns its class. A
 * long is always a bigint. Shared and cyclic references are preserved. Several top-level contents are a `ContentStream`.
 *
 * @throws SobreError `InvalidArgument` for an unknown option or time zone.
 */
export function java(options: JavaOptions = {}): Decoder {
  checkOptions(options, optionChecks, { owner: "java: " });
  return guardedDecoder({
    name: "java",
    accepts,
    decode: (payload, context) => decode(payload, context, options),
    sniff,
  });
}

const optionChecks: OptionChecks<JavaOptions> = { form: is.oneOf("values", "tree"), timeZone: aTimeZone };

const accepts = Object.freeze([mediaRange("application", "x-java-serialized-object")]);

function decode(payload: Uint8Array, { limits }: DecodeContext, { form = "values", timeZone }: JavaOptions): Decoded {
  const stream = readStream(payload, limits);
  const warnings = new Set<string>();
  const body = form === "tree" ? stream : valueOfStream(stream, limits, { timeZone, warnings });
  const typeName = typeNameOf(stream);
  return { body, ...(typeName === undefined ? {} : { typeName }), warnings: [...warningsOf(stream), ...warnings] };
}

/** Magic, version, and a type code with which a stream can start (6.4.2). */
function sniff(payload: Uint8Array): Sniff {
  const first = payload[streamHeader.length] ?? 0;
  return streamHeader.every((byte, index) => payload[index] === byte) && first >= 0x70 && first <= 0x7e
    ? "strong"
    : "no";
}

function typeNameOf({ contents }: JavaStream): string | undefined {
  const [only] = contents;
  return only === undefined || contents.length > 1 ? undefined : typeOf(only);
}

function typeOf(node: ContentNode): string | undefined {
  switch (node.kind) {
    case "object":
      return javaTimeType(node) ?? node.description.name;
    case "array":
    case "primitive-array":
    case "enum":
      return node.description.name;
    case "string":
      return "java.lang.String";
    case "class":
      return "java.lang.Class";
    default:
      return undefined;
  }
}

function warningsOf({ withoutFields }: JavaStream): readonly string[] {
  return withoutFields.map(
    (offset) =>
      `The object data at byte ${offset} was read as if its writeObject had left out the declared fields, since it does not read with them.`,
  );
}
