export * from "../codecs/index.ts";
export * from "./client/index.ts";
export * from "./cloud-events/index.ts";
export * from "./codec/index.ts";
export * from "./content-type/index.ts";
export * from "./engine/index.ts";
export { memoryEngine, type MemoryEngineOptions } from "./engines/memory/index.ts";
export {
  amend,
  type ApplicationProperties,
  type ApplicationPropertyValue,
  type BodyKind,
  type BrokerProperties,
  type BrokerPropertiesInit,
  createEnvelope,
  type Envelope,
  type EnvelopeChanges,
  envelopeFromJson,
  type EnvelopeInit,
  envelopeToJson,
  maxHeaderSize,
  maxIdLength,
  type MessageId,
  type Origin,
  readOnlyProperties,
  sizeOf,
} from "./envelope/index.ts";
export { typed } from "./values/typed-makers.ts";
export { AmqpMap } from "./values/amqp-map.ts";
export { type AmqpType, type AmqpValue, Typed, type TypedValues } from "./values/typed.ts";
export { Instant } from "./values/instant.ts";
export type { Json } from "./values/json.ts";
export { valueFromJson } from "./values/value-json-reading.ts";
export { valueToJson } from "./values/value-json.ts";
export * from "./errors/index.ts";
export * from "./message/index.ts";
export * from "./time/index.ts";
