import * as is from "../options/is.ts";
import { parseContentType } from "./content-type.ts";

/** Accepts a content type. */
export const aContentType: is.OptionCheck = (value) => {
  try {
    if (typeof value === "string") parseContentType(value);
    return is.text(value);
  } catch {
    return 'must be a content type, as in "application/json"';
  }
};
