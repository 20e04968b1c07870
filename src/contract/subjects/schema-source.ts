import type { MessageType } from "../../core/message/message-type.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { isStandardSchema, standardJsonSchema, type StandardSchema } from "../../core/message/standard-schema.ts";
import { isObject } from "../json-schema/json-value.ts";

/**
 * The JSON Schema of the bodies that writers send: the schema itself, or the one that Standard JSON Schema or a method of
 * the schema gives. `undefined` when its library offers none.
 *
 * @throws SobreError `InvalidArgument` when the library cannot say the schema in JSON Schema, as zod of a date.
 */
export function jsonSchemaOf(schema: unknown): unknown {
  if (typeof schema === "boolean") return schema;
  if (!isStandardSchema(schema)) return isObject(schema) ? schema : undefined;
  return madeBy(schema["~standard"].vendor, () => writtenBy(schema));
}

/** A JSON Schema that a library makes. @throws SobreError `InvalidArgument` with its reason when it cannot. */
export function madeBy(library: string, make: () => unknown): unknown {
  try {
    return make();
  } catch (cause) {
    const why =
      cause instanceof Error ? cause.message.replaceAll(/\s+/g, " ").replace(/\.$/, "") : "it does not say why";
    throw new SobreError(
      "InvalidArgument",
      `${library} has no JSON Schema for this type: ${why}. Use a type that JSON has, e.g. a string that the schema transforms.`,
      { cause },
    );
  }
}

function writtenBy(schema: StandardSchema): unknown {
  const made = standardJsonSchema(schema);
  if (made !== undefined) return made;
  for (const name of ["toJsonSchema", "toJSONSchema"]) {
    const method: unknown = Reflect.get(schema, name);
    if (typeof method === "function") return Reflect.apply(method, schema, []);
  }
  return undefined;
}

/** The library that made a schema of Standard Schema, e.g. `zod`; `undefined` for anything else. */
export function schemaVendor(schema: unknown): string | undefined {
  return isStandardSchema(schema) ? schema["~standard"].vendor : undefined;
}

/** Whether a value is what `defineMessage` makes. */
export function isMessageType(value: unknown): value is MessageType {
  return (
    isObject(value) &&
    typeof value["name"] === "string" &&
    Array.isArray(value["versions"]) &&
    typeof value["schemaOf"] === "function" &&
    typeof value["read"] === "function"
  );
}
