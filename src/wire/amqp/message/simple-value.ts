import { type AmqpValue, Typed } from "../../../core/values/typed.ts";
import type { ApplicationPropertyValue } from "../../../core/envelope/application-properties.ts";

/** Whether a value is of a simple type, described or not, as those of application properties must be (AMQP 1.0 part 3.2.5). */
export function isSimple(value: AmqpValue): value is ApplicationPropertyValue {
  if (value === null || typeof value !== "object" || value instanceof Date || value instanceof Uint8Array) return true;
  if (!(value instanceof Typed)) return false;
  const { value: content } = value;
  if (typeof content !== "object" || content instanceof Uint8Array) return true;
  return "descriptor" in content && "value" in content && isSimple(content.descriptor) && isSimple(content.value);
}
