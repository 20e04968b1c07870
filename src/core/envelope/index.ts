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
export { headerSize, maxHeaderSize } from "./limits.ts";
export { sizeOf, sizeOfProperties } from "./size-of.ts";
export { messageEnvelope } from "./message-envelope.ts";
