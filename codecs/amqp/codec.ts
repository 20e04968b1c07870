import { guardedCodec } from "../../src/core/codec/guarded-codec.ts";
import type { Codec, DecodeContext, Sniff } from "../../src/core/codec/codec.ts";
import { parseMediaRange } from "../../src/core/content-type/parse-media-range.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import type { AmqpExtension } from "../../src/core/amqp-values/extension.ts";
import { encodeValue } from "../../src/core/amqp-values/encode-value.ts";
import { formatCodes } from "../../src/core/amqp-values/format-code.ts";
import { decodeValue, decodeValues, type ReadMode } from "../../src/core/amqp-values/read-value.ts";
import { checkOptions, type OptionChecks } from "../../src/core/options/option-checks.ts";
import * as is from "../../src/core/options/is.ts";
import type { Profile } from "../../src/core/amqp-values/write-number.ts";

/** Options of {@link amqp}. */
export interface AmqpCodecOptions {
  /** `plain` returns ordinary JavaScript values, `typed` keeps every AMQP type. Default: `plain`. */
  readonly mode?: ReadMode | undefined;
  /** The AMQP types of numbers, as in `WriteOptions`. Default: `azure`. */
  readonly profile?: Profile | undefined;
  /** Tolerates deviations from the specification, as in `ReadOptions`. Default: false. */
  readonly lenient?: boolean | undefined;
  /** Described types with a dedicated representation. Default: `microsoftExtensions`. */
  readonly extensions?: readonly AmqpExtension[] | undefined;
}

const optionChecks: OptionChecks<AmqpCodecOptions> = {
  mode: is.oneOf("plain", "typed"),
  profile: is.oneOf("azure", "azure-js"),
  lenient: is.flag,
  extensions: is.listOf("extensions, e.g. timespanExtension", is.methods("an extension", "read", "write")),
};

const contentType = "application/x-amqp-value";
const accepts = [parseMediaRange(contentType)];
const noBytes = new Uint8Array(0);

/**
 * The codec of AMQP 1.0 values: bodies of kind `value` and `sequence`, and data of type `application/x-amqp-value`.
 *
 * The payload is the encoded value without its section descriptor. For a sequence it is the consecutive lists of all
 * sections: one list is read as an array, several as an array of arrays. It writes the requested body kind (`sequence`
 * as one list), or data if the content type is its own, or else `value`. 64-bit integers are always bigints; objects
 * have only own members, even `__proto__`; maps with a key that is not a string become a `Map`. `undefined` is written
 * as zero bytes.
 *
 * @example
 * ```ts
 * const serializer = createSerializer({ codecs: [json(), amqp()] });
 * const value = serializer.serialize({ body: new Map([[1, "one"]]), bodyKind: "value" });
 * const result = serializer.deserialize(value);
 * console.log(result.ok && result.body); // Map(1) { 1 => 'one' }
 * ```
 */
export function amqp(options: AmqpCodecOptions = {}): Codec {
  checkOptions(options, optionChecks, { owner: "amqp: " });
  const { profile, lenient, extensions, mode = "plain" } = options;
  return guardedCodec({
    name: "amqp",
    contentType,
    accepts,
    bodyKinds: ["data", "value", "sequence"],
    decode(payload: Uint8Array, { bodyKind, limits }: DecodeContext): { readonly body: unknown } {
      const reading = { mode, limits, lenient, extensions };
      // Zero bytes hold no value, and no list of a sequence either.
      if (bodyKind !== "sequence" || payload.byteLength === 0) return { body: decodeValue(payload, reading) };
      const lists = decodeValues(payload, reading);
      return { body: lists.length === 1 ? lists[0] : lists };
    },
    encode(body, context) {
      const asked = context.contentType?.type === contentType ? "data" : "value";
      const { bodyKind = asked } = context;
      if (bodyKind === "sequence" && body !== undefined && !Array.isArray(body)) {
        throw new SobreError("UnsupportedValue", "The body of an AMQP sequence must be an array.", { path: "$" });
      }
      const payload = body === undefined ? noBytes : encodeValue(body, { profile, extensions });
      return bodyKind === "data" ? { payload, bodyKind, contentType } : { payload, bodyKind };
    },
    sniff,
  });
}

/** Looks at the outermost format code and whether its size fills the payload. */
function sniff(payload: Uint8Array): Sniff {
  const format = formatCodes.get(payload[0] ?? -1);
  if (format === undefined) return payload[0] === 0 ? "weak" : "no";
  const { width } = format;
  if (width >= 0) return payload.byteLength === 1 + width ? "weak" : "no";
  if (payload.byteLength < 1 - width) return "no";
  const size = width === -1 ? (payload[1] ?? 0) : new DataView(payload.buffer, payload.byteOffset).getUint32(1);
  if (payload.byteLength !== 1 - width + size) return "no";
  return width === -4 || format.type === "list" || format.type === "map" ? "strong" : "weak";
}
