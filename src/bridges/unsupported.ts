import { SobreError } from "../errors/sobre-error.ts";

/** The error for a value that the other side cannot hold. */
export function unsupported(path: string, why: string): SobreError {
  return new SobreError("UnsupportedValue", `The value at ${path} ${why}.`, { path });
}

/**
 * The message of a client, when it is one.
 *
 * @throws SobreError `InvalidArgument` for `null`, which amqplib hands to a consumer that the broker cancels, and the like.
 */
export function someMessage<T extends object>(message: T | null | undefined): T {
  if (typeof message === "object" && message !== null) return message;
  throw new SobreError(
    "InvalidArgument",
    "The message is null, as it is when the broker cancels a consumer. Check for null first.",
    {
      path: "$",
    },
  );
}

/**
 * `name`, when it can be a property of the other side's messages.
 *
 * @throws SobreError `UnsupportedValue` for `__proto__`: the clients read properties into ordinary objects, where it is lost.
 */
export function propertyName(path: string, name: string): string {
  if (name === "__proto__") throw unsupported(path, "has a name that the client's readers lose");
  return name;
}
