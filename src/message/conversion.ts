import { memberAt, PatchedValue } from "../values/patched-value.ts";
import { keyOf, type StandardIssue } from "./standard-schema.ts";

/**
 * A body whose refused parts go over into another form of the same value, since codecs bring some values back as another
 * type than they were given: an integer and a bigint, a Date and its text.
 */
export class Conversion {
  body: unknown;
  /** Places that were converted: each once, so that no value goes to and fro. */
  readonly #done = new Set<string>();

  constructor(body: unknown) {
    this.body = body;
  }

  /** Converts what the issues name; returns whether there was anything. */
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

/** Alternatives inside alternatives that are looked at. */
const maxDepth = 8;

/** The paths of issues, and of those of the alternatives that were refused (`errors` of zod, `issues` of valibot). */
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

/** Issues in a list, or in a list of lists. */
function listed(value: unknown): readonly StandardIssue[] {
  return Array.isArray(value) ? value.flat().filter(isIssue) : [];
}

function isIssue(value: unknown): value is StandardIssue {
  const path: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "path") : null;
  return path === undefined || Array.isArray(path);
}

/** As `toISOString` writes it, or another time of RFC 3339 to the millisecond. */
const time = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/;

function otherForm(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
  if (typeof value === "number")
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : undefined;
  if (typeof value !== "string" || !time.test(value)) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
