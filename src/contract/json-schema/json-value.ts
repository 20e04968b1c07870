import { isObject } from "../../core/values/plain-object.ts";
export { isObject };

/** The JSON Pointer of the first part of `value` that JSON cannot express; undefined members count as absent. */
export function unjsonPart(value: unknown): string | undefined {
  const [open, done] = [new Set<object>(), new Set<object>()];
  const visit = (part: unknown, pointer: string, depth: number): string | undefined => {
    if (part === null || ["string", "number", "boolean"].includes(typeof part)) return undefined;
    if (typeof part !== "object" || open.has(part)) return pointer;
    // Deeper nesting is refused elsewhere.
    if (done.has(part) || depth > maxDepth) return undefined;
    const isPlain = Array.isArray(part) || [Object.prototype, null].includes(Object.getPrototypeOf(part));
    if (!isPlain && Object.prototype.toString.call(part) !== "[object Object]") return pointer;
    open.add(part);
    for (const [name, inner] of Object.entries(part)) {
      if (inner === undefined) continue;
      const token = name.replaceAll("~", "~0").replaceAll("/", "~1");
      const found = visit(inner, `${pointer}/${token}`, depth + 1);
      if (found !== undefined) return found;
    }
    open.delete(part);
    done.add(part);
    return undefined;
  };
  return visit(value, "", 0);
}

const maxDepth = 2000;

/** One text for equal JSON values: members sorted, `1.0` and `-0` as JSON Schema compares them. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (!isObject(value)) return value === 0 ? "0" : (JSON.stringify(value) ?? "null");
  const members = Object.keys(value).toSorted();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join()}}`;
}

/** Makes an object of members, one of which may be named `__proto__`. */
export function objectOf(members: Iterable<readonly [string, unknown]>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(members);
}

/** The size of a JSON value: the number of values in it plus the lengths of its strings. */
export function weight(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + weight(item), 2);
  if (isObject(value))
    return Object.entries(value).reduce((sum, [name, member]) => sum + 1 + name.length + weight(member), 2);
  if (typeof value === "string") return 1 + value.length;
  return typeof value === "number" ? String(value).length : 1;
}
