export { AmqpMap } from "./amqp-map.ts";
export { type ApplicationProperties, type ApplicationPropertyValue } from "./application-properties.ts";
export {
  type BrokerProperties,
  type BrokerPropertiesInit,
  maxIdLength,
  type MessageId,
  readOnlyProperties,
} from "./broker-properties.ts";
export {
  amend,
  type BodyKind,
  checkEnvelope,
  createEnvelope,
  type Envelope,
  type EnvelopeChanges,
  type EnvelopeInit,
  type Origin,
  type UncheckedEnvelope,
} from "./envelope.ts";
export { envelopeFromJson, envelopeToJson } from "./envelope-json.ts";
export { Instant } from "./instant.ts";
export { headerSize, maxHeaderSize } from "./limits.ts";
export { sizeOf, sizeOfProperties } from "./size-of.ts";
export { messageEnvelope } from "./message-envelope.ts";
export { type AmqpType, type AmqpValue, Typed, type TypedValues } from "./typed.ts";
export { typed, type TypedMakers } from "./typed-makers.ts";
export { type Json, valueToJson } from "./value-json.ts";
export { valueFromJson } from "./value-json-reading.ts";
