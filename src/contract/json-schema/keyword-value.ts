import { SobreError } from "../../core/errors/sobre-error.ts";
import { isObject } from "./json-value.ts";
import type { SchemaNode } from "./schema-document.ts";

/** A schema object whose keywords are read with their types checked. */
export class Keywords {
  readonly node: SchemaNode;
  readonly schema: Readonly<Record<string, unknown>>;

  constructor(node: SchemaNode, schema: Readonly<Record<string, unknown>>) {
    this.node = node;
    this.schema = schema;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.schema, name) && this.schema[name] !== undefined;
  }

  number(name: string): number | undefined {
    const value = this.get(name);
    if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
    throw this.broken(name, typeof value === "number" ? "a number that a double can hold" : "a number");
  }

  /** A value to compare with, which must be JSON: JSON.parse reads 1e400 as infinity. */
  json(value: unknown, name: string): unknown {
    if (isFinitely(value)) return value;
    throw this.broken(name, "a value of JSON whose numbers a double can hold");
  }

  count(name: string): number | undefined {
    const value = this.number(name);
    if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
    throw this.broken(name, "a whole number of at least 0");
  }

  text(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === "string") return value;
    throw this.broken(name, "a string");
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.get(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw this.broken(name, "an array");
  }

  map(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.get(name);
    if (value === undefined || isObject(value)) return value;
    throw this.broken(name, "an object");
  }

  /** The names in a list such as `required`. */
  names(value: unknown, keyword: string): readonly string[] {
    if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
    throw this.broken(keyword, "an array of strings");
  }

  get(name: string): unknown {
    return this.has(name) ? this.schema[name] : undefined;
  }

  broken(keyword: string, wanted: string): SobreError {
    return new SobreError("InvalidArgument", `The JSON Schema is invalid: ${keyword} must be ${wanted}.`, {
      path: `#${this.node.pointer}/${keyword}`,
    });
  }
}

function isFinitely(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isFinitely);
  return isObject(value) ? Object.values(value).every(isFinitely) : typeof value !== "number" || Number.isFinite(value);
}
