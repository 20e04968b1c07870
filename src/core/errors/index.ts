export type { ErrorCode } from "./codes.ts";
export { SobreError, type SobreErrorOptions } from "./sobre-error.ts";
export { type ErrorTraits, errorTraits, isErrorCode } from "./traits.ts";
