import { SobreError } from "../errors/sobre-error.ts";
import { linearPattern, type RefusedPattern } from "../regex/linear-pattern.ts";
import { isObject } from "../values/plain-object.ts";

/** Carries a refused pattern through ajv, which does not know where in the schema it is. */
class RefusedPatternError extends Error {
  readonly source: string;
  readonly refusal: RefusedPattern["refusal"];

  constructor({ source, refusal }: RefusedPattern) {
    super(refusal.message);
    this.source = source;
    this.refusal = refusal;
  }
}

/** Makes the matchers of a schema's patterns for ajv: no pattern can hold the event loop. */
export const linearRegExp: { (source: string): { test(text: string): boolean }; code: string } = Object.assign(
  (source: string) => {
    const pattern = linearPattern(source);
    if (pattern.refusal !== undefined) throw new RefusedPatternError(pattern);
    const { automaton } = pattern;
    return { test: (text: string) => automaton.test(text), toString: () => source };
  },
  { code: "linearRegExp" },
);

/** The error of a schema with a pattern that is refused; `undefined` for any other error. */
export function refusedPattern(error: unknown, schema: unknown): SobreError | undefined {
  if (!(error instanceof RefusedPatternError)) return undefined;
  const { source, refusal } = error;
  const path = pointerOfPattern(schema, source);
  const where = path === undefined ? "" : ` at ${path}`;
  const broken = `The JSON Schema cannot be used${where}: ${refusal.message}`;
  return new SobreError(refusal.kind === "large" ? "LimitExceeded" : "InvalidArgument", broken, { path });
}

/** Keywords whose values are data, even if they look like schemas. */
const values = new Set(["const", "default", "enum", "examples"]);

/** The place of the first keyword with the pattern, as a JSON Pointer behind `#`. */
function pointerOfPattern(root: unknown, source: string): string | undefined {
  const open: (readonly [schema: unknown, pointer: string])[] = [[root, "#"]];
  const seen = new Set<unknown>();
  // The loop also visits what is added meanwhile.
  for (const [schema, pointer] of open) {
    if (seen.has(schema) || !(isObject(schema) || Array.isArray(schema))) continue;
    seen.add(schema);
    for (const [name, value] of Object.entries(schema)) {
      const inner = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (name === source && pointer.endsWith("/patternProperties")) return inner;
      if (name === "pattern" && value === source) return inner;
      if (!values.has(name)) open.push([value, inner]);
    }
  }
  return undefined;
}
