export * from "../codecs/index.ts";
export type { AcceptSessionOptions, DeleteMessagesOptions } from "./client/index.ts";
export * from "./client/index.ts";
export * from "./codec/index.ts";
export * from "./content-type/index.ts";
export * from "./engine/index.ts";
export { memoryEngine, type MemoryEngineOptions } from "./engines/memory/index.ts";
export {
  amend,
  typed,
  AmqpMap,
  type AmqpType,
  type AmqpValue,
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
  Instant,
  type Json,
  maxHeaderSize,
  maxIdLength,
  type MessageId,
  type Origin,
  readOnlyProperties,
  sizeOf,
  Typed,
  type TypedValues,
  valueFromJson,
  valueToJson,
} from "./envelope/index.ts";
export * from "./errors/index.ts";
export * from "./message/index.ts";
export * from "./time/index.ts";
