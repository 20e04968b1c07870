import { settledKinds, type SettledShape } from "../infer/settled-shape.ts";
import type { PathShape } from "../infer/shape.ts";
import { decimalsAreText, integersAreText, numbersAreText, type TargetRules, timesAreNative } from "./target-rules.ts";
import type { ValueKind } from "../infer/value-kind.ts";

/** The form of a kind of value in a target format. */
export interface TargetForm {
  /** The type in JSON Schema; `native` for those that JSON lacks: bytes and times of MessagePack. */
  readonly type:
    | "null"
    | "boolean"
    | "integer"
    | "number"
    | "string"
    | "object"
    | "array"
    | "pairs"
    | "map"
    | "bytes"
    | "time";
  /** The format of the text, by its name in JSON Schema if it has one. */
  readonly format?: string;
}

/** The distinct forms of the kinds at a path. */
export function formsOf(settled: SettledShape, rules: TargetRules): readonly TargetForm[] {
  const forms = settledKinds(settled).map((kind) => formOf(kind, settled.shape, rules));
  const distinct = [...new Map(forms.map((form) => [`${form.type} ${form.format ?? ""}`, form])).values()];
  // `number` includes `integer`.
  return distinct.some(({ type }) => type === "number") ? distinct.filter(({ type }) => type !== "integer") : distinct;
}

/** One of {@link TargetForm} in a few words, e.g. `string (base64)`. */
export function describeForm({ type, format }: TargetForm): string {
  const name = type === "pairs" ? "list of [key, value]" : type === "array" ? "list" : type;
  return format === undefined ? name : `${name} (${format})`;
}

const plainForm = (type: TargetForm["type"]): TargetForm => ({ type });
const text = (format: string): TargetForm => ({ type: "string", format });

function formOf(kind: ValueKind, shape: PathShape, rules: TargetRules): TargetForm {
  switch (kind) {
    case "null":
    case "boolean":
    case "object":
      return plainForm(kind);
    case "integer":
    case "int64":
      if (numbersAreText(shape, rules)) return text("decimal");
      return integersAreText(shape, rules) ? text("int64") : plainForm("integer");
    case "number":
      return numbersAreText(shape, rules) ? text("decimal") : plainForm("number");
    case "decimal":
      return decimalsAreText(shape, rules) === true ? text("decimal") : plainForm("number");
    case "not-finite":
      return rules.notFinite === "native" ? plainForm("number") : text("NaN, INF, -INF");
    case "bytes":
      return rules.bytes === "native" ? plainForm("bytes") : text("base64");
    case "time-utc":
      return timesAreNative(shape, rules) ? plainForm("time") : text("date-time");
    case "time-offset":
      return text("date-time");
    case "time-local":
    case "time-unspecified":
      return text("date-time, offset optional");
    case "list":
    case "array":
    case "stream":
      return plainForm("array");
    case "map":
      return plainForm(rules.maps === "native" ? "map" : "pairs");
    case "text":
    case "empty-text":
    case "char":
    case "symbol":
    case "enum":
      return plainForm("string");
    default:
      return text(textFormats.get(kind) ?? kind);
  }
}

const textFormats: ReadonlyMap<ValueKind, string> = new Map([
  ["guid", "uuid"],
  ["clock-time", "time"],
  ["big-integer", "integer"],
]);
