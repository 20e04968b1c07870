export { type ErrorCode, type ErrorTraits, errorTraits } from "./codes.ts";
export { SobreError, type SobreErrorOptions } from "./sobre-error.ts";
