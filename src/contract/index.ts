export { checkCompatibility } from "./check-compatibility.ts";
export { contractMatchers, type CompatibleWithOptions } from "./contract-matchers.ts";
export { contractSuite, type ContractSuiteOptions, type ContractTest } from "./contract-suite.ts";
export { protosOf } from "./sources/proto-files.ts";
export type { SchemaPart } from "./sources/schema-part.ts";
export { readMessageType, writeMessageType } from "./message-type-folder.ts";
export type { FormatPolicy } from "./json-schema/formats.ts";
export type {
  CompatibilityOptions,
  ContentModel,
  Direction,
  ProtobufPolicy,
  TypeNamePolicy,
  Upcast,
} from "./options.ts";
export type { MatrixOptions } from "./golden/matrix.ts";
export type { ServiceVersions, Subject } from "./subjects/subject.ts";
export type { SubjectVersion } from "./subjects/subject-version.ts";
export { type SubjectUpcast, upcastBy } from "./subjects/upcast-by.ts";
export type { CodecRow, CompatibilityResult, Finding, Verdict, Witness, WitnessEncoding } from "./verdict.ts";
