export { type ContentType, formatContentType, maxContentTypeLength, parseContentType } from "./content-type.ts";
export { matchesRange, type MediaRange, rangesOverlap, specificityOf } from "./media-range.ts";
export type { Parameter } from "./parameters.ts";
export { parseMediaRange } from "./parse-media-range.ts";
