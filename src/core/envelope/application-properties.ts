import { checkBag, emptyBag, invalid, isOwn, isTime } from "./bag.ts";
import { Typed } from "../values/typed.ts";

/**
 * A value of an application property: an AMQP simple type (AMQP 1.0 part 3.2.5).
 *
 * Integers are int within 32 bits and long beyond, other numbers double, bigints long, Dates timestamp; use {@link
 * Typed} for any other type.
 */
export type ApplicationPropertyValue = null | boolean | string | number | bigint | Date | Uint8Array | Typed;

/** The sender's own properties, for routing and filtering ("user properties" in older SDKs). */
export type ApplicationProperties = Readonly<Record<string, ApplicationPropertyValue>>;

const noApplicationProperties: ApplicationProperties = Object.freeze(emptyBag<ApplicationPropertyValue>());

/**
 * A frozen copy with every value checked; `undefined` members are omitted.
 *
 * @throws SobreError `InvalidArgument` naming the property, for lists, maps, arrays, functions and the like, and for
 * half a surrogate pair in a name or value.
 */
export const applicationProperties = (init: unknown): ApplicationProperties =>
  init === undefined ? noApplicationProperties : changedProperties(noApplicationProperties, init);

/** The properties with changes, which are checked likewise; `undefined` members are removed. */
export function changedProperties(before: ApplicationProperties, changes: unknown): ApplicationProperties {
  const changed = checkBag(changes, "$.applicationProperties");
  const given = before === noApplicationProperties ? changed : { ...before, ...changed };
  const checked = emptyBag<ApplicationPropertyValue>();
  let count = 0;
  for (const name in given) {
    if (!isOwn(given, name)) continue;
    const value = given[name];
    if (value === undefined) continue;
    count++;
    const known = before[name];
    if (known !== undefined && known === value) {
      checked[name] = known;
      continue;
    }
    if (!isSimple(value)) throw invalid(`$.applicationProperties.${name}`, wanted);
    if (!name.isWellFormed()) throw invalid(`$.applicationProperties.${name}`, "must have a well-formed name");
    // Copied: the sender may change its bytes afterwards.
    checked[name] = value instanceof Uint8Array ? new Uint8Array(value) : value;
  }
  return count === 0 ? noApplicationProperties : Object.freeze(checked);
}

const wanted =
  "must be null, a boolean, well-formed string, number, 64-bit bigint, valid Date, Uint8Array or typed AMQP value; put arrays and objects into the payload";

function isSimple(value: unknown): value is ApplicationPropertyValue {
  switch (typeof value) {
    case "string":
      return value.isWellFormed();
    case "boolean":
    case "number":
      return true;
    case "bigint":
      return value >= -(2n ** 63n) && value < 2n ** 64n;
    case "object":
      if (value === null || value instanceof Uint8Array || isTime(value)) return true;
      return value instanceof Typed && isSimpleTyped(value);
    default:
      return false;
  }
}

/** A described simple value is also allowed: .NET writes TimeSpan, Uri and DateTimeOffset that way. */
function isSimpleTyped({ type, value }: Typed): boolean {
  if (type === "array") return false;
  if (typeof value !== "object" || value instanceof Uint8Array || "values" in value) return true;
  return isSimple(value.descriptor) && isSimple(value.value);
}
