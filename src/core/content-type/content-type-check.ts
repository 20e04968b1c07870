import { type OptionCheck, text } from "../options/option-checks.ts";
import { parseContentType } from "./content-type.ts";

/** Accepts a content type. */
export const aContentType: OptionCheck = (value) => {
  try {
    if (typeof value === "string") parseContentType(value);
    return text(value);
  } catch {
    return 'must be a content type, as in "application/json"';
  }
};
