import { Instant } from "../values/instant.ts";
import { DateTime } from "../values/date-time.ts";
import type { TaggedScalar } from "../values/tagged-value.ts";

/** The text of a value that most formats lack, as its `$` object has it: `12.30`, `PT1H`, `2024-01-01T00:00:00Z`. */
export function scalarText(value: TaggedScalar | Date | Instant): string {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Instant) return value.toString();
  if (value instanceof DateTime) return value.toISO();
  const [text] = Object.values(value.toTagged());
  return typeof text === "string" ? text : JSON.stringify(text);
}
