import { SobreError } from "../../core/errors/sobre-error.ts";

/** The error for a value that the other client cannot represent. */
export function unsupported(path: string, why: string): SobreError {
  return new SobreError("UnsupportedValue", `The value at ${path} ${why}.`, { path });
}

/**
 * Checks that a client's message is an object.
 *
 * @throws SobreError `InvalidArgument` for `null`, which amqplib passes to a consumer that the broker has cancelled,
 * and the like.
 */
export function someMessage<T extends object>(message: T | null | undefined): T {
  if (typeof message === "object" && message !== null) return message;
  throw new SobreError(
    "InvalidArgument",
    "The message is null: amqplib passes null when the broker cancels a consumer. Check for null first.",
    {
      path: "$",
    },
  );
}

/**
 * Checks that the other client can represent a property with this name.
 *
 * @throws SobreError `UnsupportedValue` for `__proto__`: the clients read properties into ordinary objects, which lose
 * it.
 */
export function propertyName(path: string, name: string): string {
  if (name === "__proto__") throw unsupported(path, "has a name that is lost when the client reads it");
  return name;
}
