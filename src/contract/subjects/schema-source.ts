import type { MessageType } from "../../message/message-type.ts";
import { isObject } from "../json-schema/json-value.ts";

/**
 * The JSON Schema of the bodies that writers send by a schema: it itself, or what Standard JSON Schema or a method of the
 * schema makes of it. `undefined` when the schema cannot tell.
 */
export function jsonSchemaOf(schema: unknown): unknown {
  if (typeof schema === "boolean") return schema;
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return undefined;
  const standard: unknown = Reflect.get(schema, "~standard");
  if (!isObject(standard)) return typeof schema === "function" ? undefined : schema;
  const { jsonSchema } = standard;
  if (isObject(jsonSchema) && typeof jsonSchema["input"] === "function")
    return Reflect.apply(jsonSchema["input"], jsonSchema, [{ target: "draft-2020-12" }]);
  for (const name of ["toJsonSchema", "toJSONSchema"]) {
    const method: unknown = Reflect.get(schema, name);
    if (typeof method === "function") return Reflect.apply(method, schema, []);
  }
  return undefined;
}

/** Who made a schema of Standard Schema, as `zod`; `undefined` for anything else. */
export function schemaVendor(schema: unknown): string | undefined {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return undefined;
  const standard: unknown = Reflect.get(schema, "~standard");
  return isObject(standard) && typeof standard["vendor"] === "string" ? standard["vendor"] : undefined;
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
