import { memberAt, PatchedValue } from "../values/patched-value.ts";
import { keyOf, type StandardIssue } from "./standard-schema.ts";

/**
 * Converts the parts of a body that a schema refused into another form of the same value, since codecs decode some
 * values as another type than was encoded: an integer as a bigint, a Date as a string.
 */
export class BodyConversion {
  body: unknown;
  /** The places converted so far: each only once, so that no value is converted back. */
  readonly #done = new Set<string>();

  constructor(body: unknown) {
    this.body = body;
  }

  /** Converts the places that the issues name; returns whether there were any. */
  convert(issues: readonly StandardIssue[]): boolean {
    const patched = new PatchedValue(this.body);
    let isChanged = false;
    for (const steps of placesOf(issues, [])) {
      const place = JSON.stringify(steps.map(String));
      const other = this.#done.has(place) ? undefined : otherForm(steps.reduce(memberAt, this.body));
      if (other === undefined) continue;
      this.#done.add(place);
      patched.replace(steps, other);
      isChanged = true;
    }
    this.body = patched.value;
    return isChanged;
  }
}

/** The maximum depth of nested alternatives. */
const maxDepth = 8;

/** The paths of issues, including those of refused alternatives (`errors` in zod, `issues` in valibot). */
function placesOf(
  issues: readonly StandardIssue[],
  parent: readonly PropertyKey[],
  depth: number = 0,
): readonly (readonly PropertyKey[])[] {
  return issues.flatMap((issue) => {
    const own = [...parent, ...(issue.path ?? []).map(keyOf)];
    const inner = depth === maxDepth ? [] : ["errors", "issues"].flatMap((name) => listed(Reflect.get(issue, name)));
    return [own, ...placesOf(inner, own, depth + 1)];
  });
}

/** Issues in an array, or in an array of arrays. */
function listed(value: unknown): readonly StandardIssue[] {
  return Array.isArray(value) ? value.flat().filter(isIssue) : [];
}

function isIssue(value: unknown): value is StandardIssue {
  const path: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "path") : null;
  return path === undefined || Array.isArray(path);
}

/** A time in the form of `toISOString`, or any RFC 3339 time in milliseconds at most. */
const time = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/;

function otherForm(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
  if (typeof value === "number")
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : undefined;
  if (typeof value !== "string" || !time.test(value)) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
