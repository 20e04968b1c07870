import { valueToJson } from "../../core/values/value-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { fit, oneLine, visibleJson } from "../display.ts";

/** Maximum bytes of a binary body in a preview; more do not fit on a line. */
const shownBytes = 64;

/** A body on one line of at most `width` columns, without anything that a terminal would interpret. */
export function preview(body: unknown, width: number): string {
  if (body === undefined) return fit("(empty)", width);
  if (typeof body === "string") return fit(oneLine(body.slice(0, width * 8)), width);
  if (body instanceof Uint8Array) return fit(hex(body), width);
  return fit(rendered(body), width);
}

/** A value as JSON text with `$` objects, or the reason why there is none. */
function rendered(value: unknown): string {
  try {
    return visibleJson(valueToJson(value));
  } catch (error) {
    if (error instanceof SobreError) return oneLine(`(${error.message})`);
    throw error;
  }
}

function hex(bytes: Uint8Array): string {
  const shown = Array.from(bytes.subarray(0, shownBytes), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return `${bytes.byteLength} bytes: ${shown}${bytes.byteLength > shownBytes ? " …" : ""}`;
}
