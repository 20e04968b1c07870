import type { DocumentPlace } from "./asyncapi-document.ts";

/** How a payload's schema is written. */
export interface SchemaFormat {
  readonly format: "json-schema" | "protobuf";
  /** The `$schema` of the dialect. */
  readonly dialect?: string;
}

const draft07 = "http://json-schema.org/draft-07/schema#";

const dialects: Readonly<Record<string, string>> = {
  "draft-04": "http://json-schema.org/draft-04/schema#",
  "draft-06": "http://json-schema.org/draft-06/schema#",
  "draft-07": draft07,
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
};

/** The format that a `schemaFormat` names, or the one of AsyncAPI itself without it; `undefined` for one that is not read here. */
export function schemaFormat(name: unknown): SchemaFormat | undefined {
  if (name === undefined) return { format: "json-schema", dialect: draft07 };
  if (typeof name !== "string") return undefined;
  const [, type = "", version = ""] = /^([^;]+)(?:;\s*version=["']?([^"';]+))?/.exec(name) ?? [];
  if (/^application\/vnd\.aai\.asyncapi(?:\+json|\+yaml)?$/.test(type))
    return { format: "json-schema", dialect: draft07 };
  if (/^application\/schema\+(?:json|yaml)$/.test(type)) {
    const dialect = Object.hasOwn(dialects, version) ? dialects[version] : undefined;
    return dialect === undefined ? undefined : { format: "json-schema", dialect };
  }
  return type === "application/vnd.google.protobuf" ? { format: "protobuf" } : undefined;
}

/** Whether an object is a schema with its format rather than a schema itself. */
export function isMultiFormat({ value }: DocumentPlace): boolean {
  return value["schemaFormat"] !== undefined && value["schema"] !== undefined;
}
