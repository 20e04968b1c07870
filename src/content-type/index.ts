export {
  type ContentType,
  formatContentType,
  maxContentTypeLength,
  type Parameter,
  parameter,
  parseContentType,
} from "./content-type.ts";
export { matchesRange, type MediaRange, parseMediaRange } from "./media-range.ts";
