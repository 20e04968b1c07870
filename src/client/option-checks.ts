import { SobreError } from "../errors/index.ts";

/** @throws SobreError `InvalidArgument` naming the option unless `value` is a whole number from `least` up. */
export function checkCount(option: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw invalidOption(option, `must be a whole number from ${least} up`);
}

/** @throws SobreError `InvalidArgument` naming the option unless `value` is a number of milliseconds. */
export function checkMilliseconds(option: string, value: number): number {
  if (typeof value === "number" && value >= 0) return value;
  throw invalidOption(option, "must be a number of milliseconds from 0 up");
}

/** @throws SobreError `InvalidArgument` naming the option unless `value` is one of `allowed`. */
export function checkOneOf<T extends string | boolean>(option: string, value: T, allowed: readonly T[]): T {
  if (allowed.includes(value)) return value;
  throw invalidOption(option, `must be one of ${allowed.map((one) => JSON.stringify(one)).join(", ")}`);
}

/** @throws SobreError `InvalidArgument` naming the option unless `value` is a function, or `undefined` where that is allowed. */
export function checkFunction(option: string, value: unknown, need: "required" | "optional"): void {
  if (typeof value === "function" || (value === undefined && need === "optional")) return;
  throw invalidOption(option, "must be a function");
}

/** The error of an option that has a wrong value. */
export function invalidOption(option: string, what: string): SobreError {
  return new SobreError("InvalidArgument", `${option} ${what}.`, { path: `$.${option}` });
}
