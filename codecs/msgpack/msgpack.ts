import { guardedCodec } from "../../src/core/codec/guarded-codec.ts";
import type { Codec, Sniff } from "../../src/core/codec/codec.ts";
import { limitExceeded } from "../../src/core/codec/limits.ts";
import type { MediaRange } from "../../src/core/content-type/media-range.ts";
import { parseMediaRange } from "../../src/core/content-type/parse-media-range.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";
import { checkOptions, type OptionChecks } from "../../src/core/options/option-checks.ts";
import * as is from "../../src/core/options/is.ts";
import { unpackOrdinary } from "./msgpackr.ts";
import { readMsgpack } from "./reader.ts";
import { writeMsgpack } from "./writer.ts";

/** Options of {@link msgpack}. */
export interface MsgpackOptions {
  /**
   * Whether to refuse a map key `__proto__` or keep it as an own property, in both directions. It never sets a
   * prototype. Default: `refuse`.
   */
  readonly protoKey?: "refuse" | "keep";
}

const optionChecks: OptionChecks<MsgpackOptions> = { protoKey: is.oneOf("refuse", "keep") };

const accepts: readonly MediaRange[] = Object.freeze(
  ["application/vnd.msgpack", "application/msgpack", "application/x-msgpack", "application/*+msgpack"].map(
    parseMediaRange,
  ),
);

/**
 * The codec `msgpack` (MessagePack specification of 2017, with the timestamp extension).
 *
 * Reads maps with only string keys as plain objects and others as `Map` (of duplicate keys the last counts); integers
 * as numbers, as bigints beyond 2^53 - 1; binary as `Uint8Array` (a view of the payload); timestamps as `Date`, or
 * `Instant` where `Date` is too coarse; every other extension as `MsgpackExtension`. It never returns other objects.
 *
 * Writes the same types, each in its shortest form; `undefined` members are omitted. An `Instant` of whole milliseconds
 * is read back as a `Date`, a `Map` with only string keys as an object, a bigint of up to 53 bits as a number.
 *
 * @example
 * ```ts
 * const serializer = createSerializer({ codecs: [msgpack()] });
 * const { payload, brokerProperties } = serializer.serialize({ body: { id: 7 } });
 * console.log(payload.length, brokerProperties.contentType); // 5 application/vnd.msgpack
 * ```
 */
export function msgpack(options: MsgpackOptions = {}): Codec {
  checkOptions(options, optionChecks, { owner: "msgpack: " });
  const { protoKey = "refuse" } = options;
  const rules = { protoKey } as const;
  return guardedCodec({
    name: "msgpack",
    contentType: "application/vnd.msgpack",
    accepts,
    decode(payload, { limits }) {
      if (payload.length > limits.maxBytes) throw limitExceeded("maxBytes", limits);
      try {
        return { body: unpackOrdinary(payload, limits) ?? readMsgpack(payload, { limits, protoKey }) };
      } catch (error) {
        if (error instanceof SobreError) throw error;
        throw new SobreError(
          "DecodeFailed",
          "The MessagePack payload is nested too deeply for the stack of this process. Lower limits.maxDepth to refuse it earlier.",
        );
      }
    },
    sniff,
    encode(body) {
      if (body === undefined) return { payload: new Uint8Array(0) };
      return { payload: writeMsgpack(body, rules) };
    },
  });
}

/** Rules out what cannot be one whole value; only a map whose first key is a string is a strong sign. */
function sniff(payload: Uint8Array): Sniff {
  const [first] = payload;
  if (first === undefined) return "weak";
  if (first === 0xc1) return "no";
  const firstKeyAt = first > 0x80 && first < 0x90 ? 1 : first === 0xde ? 3 : first === 0xdf ? 5 : undefined;
  const key = firstKeyAt === undefined ? undefined : payload[firstKeyAt];
  if (key !== undefined && ((key >= 0xa0 && key < 0xc0) || key === 0xd9)) return "strong";
  const oneByte = first <= 0x80 || first === 0x90 || first === 0xa0 || (first >= 0xc0 && first < 0xc4) || first >= 0xe0;
  return oneByte === (payload.length === 1) ? "weak" : "no";
}
