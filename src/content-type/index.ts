export { type ContentType, formatContentType, maxContentTypeLength, parseContentType } from "./content-type.ts";
export { matchesRange, type MediaRange, rangesOverlap, specificityOf } from "./media-range.ts";
export { type Parameter, parameter } from "./parameter.ts";
export { parseMediaRange } from "./parse-media-range.ts";
