export { amqp, type AmqpCodecOptions } from "./codec.ts";
export { encodeValue, type WriteOptions } from "../../src/amqp/values/encode-value.ts";
export type { AmqpExtension } from "../../src/amqp/values/extension.ts";
export {
  dateTimeOffsetExtension,
  microsoftExtensions,
  timespanExtension,
  uriExtension,
} from "../../src/amqp/values/microsoft-extensions.ts";
export { decodeValue, decodeValues, type ReadMode, type ReadOptions } from "../../src/amqp/values/read-value.ts";
export type { Profile } from "../../src/amqp/values/write-number.ts";
export { toTypedJson, type TypedJson } from "./typed-json.ts";
export { fromTypedJson } from "./typed-json-reading.ts";
export { type DecimalType, fromDecimalString, toDecimalString } from "../../src/amqp/values/decimal.ts";
