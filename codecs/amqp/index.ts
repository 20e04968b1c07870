export { amqp, type AmqpCodecOptions } from "./codec.ts";
export { encodeValue, type WriteOptions } from "../../src/core/amqp-values/encode-value.ts";
export type { AmqpExtension } from "../../src/core/amqp-values/extension.ts";
export {
  dateTimeOffsetExtension,
  microsoftExtensions,
  timespanExtension,
  uriExtension,
} from "../../src/core/amqp-values/microsoft-extensions.ts";
export { decodeValue, decodeValues, type ReadMode, type ReadOptions } from "../../src/core/amqp-values/read-value.ts";
export type { Profile } from "../../src/core/amqp-values/write-number.ts";
export { toTypedJson, type TypedJson } from "./typed-json.ts";
export { fromTypedJson } from "./typed-json-reading.ts";
export { type DecimalType, fromDecimalString, toDecimalString } from "../../src/core/amqp-values/decimal.ts";
