import { type TypeDiscriminator, discriminatorOf } from "../infer/discriminator.ts";
import type { SettledShape } from "../infer/settled-shape.ts";
import type { PathShape } from "../infer/shape.ts";

/** The values that a format holds natively, and those that become text. */
export interface TargetRules {
  readonly bytes: "native" | "base64";
  /** UTC times: the format's own type, or ISO 8601 text. All other times are text. */
  readonly times: "native" | "text";
  /** Integers beyond 2^53: unchanged, or text at every path that has one. */
  readonly int64: "native" | "text";
  /** Whether natively written integers beyond 2^53 count as lost, since most readers of the format round them. */
  readonly int64IsLost: boolean;
  /**
   * Decimals: text with every digit, or numbers; by default numbers at paths where all of them were JSON numbers, and text
   * elsewhere.
   */
  readonly decimal: DecimalRule;
  /** NaN and the infinities: unchanged, or text. */
  readonly notFinite: "native" | "text";
  /** Maps whose keys are not all text: unchanged, or lists of pairs. */
  readonly maps: "native" | "pairs";
  /** Whether MessagePack's extension types are kept. */
  readonly extensions: boolean;
  /** Whether values that fit no field become JSON in a string, in which bigints are text. */
  readonly embedsJson: boolean;
  /** The member that names the types of objects, if any does. */
  readonly typeMember?: string | undefined;
  /** That member in the messages of one type: see {@link rulesOfType}. */
  readonly discriminator?: TypeDiscriminator | undefined;
}

/** The rules for the messages of one type. */
export function rulesOfType(rules: TargetRules, shape: SettledShape): TargetRules {
  return rules.typeMember === undefined ? rules : { ...rules, discriminator: discriminatorOf(rules.typeMember, shape) };
}

/** The form of decimals. */
export type DecimalRule = "text" | "number" | "as-written";

/** The rules of JSON (RFC 8259). */
export function jsonRules(int64: "text" | "number", decimal: DecimalRule): TargetRules {
  return {
    decimal,
    bytes: "base64",
    times: "text",
    int64: int64 === "text" ? "text" : "native",
    int64IsLost: int64 === "number",
    notFinite: "text",
    maps: "pairs",
    extensions: false,
    embedsJson: false,
  };
}

/** The rules of MessagePack. */
export const msgpackRules: Omit<TargetRules, "decimal"> = {
  bytes: "native",
  times: "native",
  int64: "native",
  int64IsLost: false,
  notFinite: "native",
  maps: "native",
  extensions: true,
  embedsJson: false,
};

/** The rules of Protobuf, for values that fit a field of one type. */
export const protobufRules: Omit<TargetRules, "decimal"> = {
  bytes: "native",
  times: "text",
  int64: "native",
  int64IsLost: false,
  notFinite: "native",
  maps: "pairs",
  extensions: false,
  embedsJson: true,
};

/** Whether the integers of a path are written as text, all of them, so that the path has one type. */
export function integersAreText({ unsafe }: PathShape, { int64 }: TargetRules): boolean {
  return unsafe > 0 && int64 === "text";
}

/** Whether the decimals of a path are written as text; `undefined` if there are none. */
export function decimalsAreText({ kinds, literals }: PathShape, { decimal }: TargetRules): boolean | undefined {
  if (kinds.decimal === 0) return undefined;
  return decimal === "as-written" ? literals < kinds.decimal : decimal === "text";
}

/** Whether the numbers of a path are written as text, because decimals next to them are, and nothing distinguishes the two. */
export function numbersAreText(shape: PathShape, rules: TargetRules): boolean {
  return shape.literals > 0 && decimalsAreText(shape, rules) === true;
}

/** Whether the times of a path are written as times of the format. */
export function timesAreNative({ kinds }: PathShape, { times }: TargetRules): boolean {
  return times === "native" && kinds["time-local"] + kinds["time-unspecified"] + kinds["time-offset"] === 0;
}
