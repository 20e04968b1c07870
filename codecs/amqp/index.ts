export { amqp, type AmqpCodecOptions } from "./codec.ts";
export { encodeValue, type WriteOptions } from "./encode-value.ts";
export type { AmqpExtension } from "./extension.ts";
export {
  dateTimeOffsetExtension,
  microsoftExtensions,
  timespanExtension,
  uriExtension,
} from "./microsoft-extensions.ts";
export { decodeValue, decodeValues, type ReadMode, type ReadOptions } from "./read-value.ts";
export type { Profile } from "./write-number.ts";
export { toTypedJson, type TypedJson } from "./typed-json.ts";
export { fromTypedJson } from "./typed-json-reading.ts";
export { type DecimalType, fromDecimalString, toDecimalString } from "./decimal.ts";
