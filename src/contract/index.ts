export { checkCompatibility } from "./check-compatibility.ts";
export type { CompatibilityOptions, ContentModel, Direction, ProtobufPolicy, Upcast } from "./options.ts";
export type { CodecRow, CompatibilityResult, Finding, Verdict, Witness, WitnessEncoding } from "./verdict.ts";
