export { defineMessage, type Steps, type UntypedOptions } from "./define-message.ts";
export type {
  BodyOf,
  Downcasts,
  LatestOf,
  MessageToSend,
  MessageType,
  MessageTypeOptions,
  Next,
  Previous,
  SchemaVersions,
  TypedMessage,
  TypedMessageProperties,
  Upcasts,
  VersionOf,
} from "./message-type.ts";
export { registryIds, type RegistryIdsOptions } from "./registry-ids.ts";
export type { InputOf, MaybePromise, OutputOf, Schema } from "./schema.ts";
export { messageTypeFromFiles, type SchemaFiles, schemaFilesOf, type SubjectBodies } from "./schema-files.ts";
export type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.ts";
export { isTraceparent, readTraceContext, type TraceContext, traceProperties } from "./trace-context.ts";
export { readTypeClaim, type TypeClaim, type TypeWire, withTypeClaim } from "./type-property.ts";
export { createTypeReader, type TypedReadResult, type TypeReader } from "./type-reader.ts";
export { messageProperties } from "./message-properties.ts";
