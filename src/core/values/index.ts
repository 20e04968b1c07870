export {
  annotate,
  annotateDictionary,
  type Annotations,
  annotateTyped,
  annotationsOf,
  typeNameOf,
} from "./annotations.ts";
export { BigInteger } from "./big-integer.ts";
export { DateTime, type DateTimeKind } from "./date-time.ts";
export { DateTimeOffset } from "./date-time-offset.ts";
export { Decimal, isDecimalText } from "./decimal.ts";
export { Duration } from "./duration.ts";
export { EnumValue } from "./enum-value.ts";
export { IsoTime, type IsoTimeKind } from "./iso-time.ts";
export type { Json, JsonObject } from "./json.ts";
export { LocalDate, LocalTime } from "./local-time.ts";
export { MsgpackExtension } from "./msgpack-extension.ts";
export { ContentStream, MultiArray } from "./multi-array.ts";
export { ClassName, NamedText, Uri, Version } from "./named-text.ts";
export { QName } from "./q-name.ts";
export { type RenderInner, TaggedScalar, TaggedValue } from "./tagged-value.ts";
export { millisecondsToTicks, parseTime, type ParsedTime, ticksToMilliseconds } from "./ticks.ts";
export { offsetAt } from "./time-zone.ts";
export { AmqpMap, type AmqpType, type AmqpValue, Typed, type TypedValues } from "./typed.ts";
export { Instant } from "./instant.ts";
export { typed, type TypedMakers } from "./typed-makers.ts";
export { valueToJson } from "./value-json.ts";
export { valueFromJson } from "./value-json-reading.ts";
