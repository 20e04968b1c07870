import type { ComparedField } from "./shape.ts";

/** A scalar in a form that is the same for values that are equal on the wire. */
export function wireForm(value: unknown, { kind }: Pick<ComparedField, "kind">): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (kind === "string" && typeof value === "string") return `text ${Buffer.from(value).toString("base64")}`;
  if (kind === "bytes") return `text ${String(value)}`;
  if (kind !== "float" && kind !== "double") return String(value);
  return `float ${Object.is(value, -0) ? "-0" : String(Number(value))}`;
}

/** Whether a {@link wireForm} is the zero of its kind. */
export function isZero(form: unknown): boolean {
  return form === "0" || form === "text " || form === "float 0";
}
