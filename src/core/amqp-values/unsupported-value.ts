import { SobreError } from "../errors/sobre-error.ts";

/** The deepest nesting that is written. */
const maxDepth = 1024;

/** Arrays count as so many levels when they are gone through: they take as much of the stack. */
export const arrayLevels = 3;

/** @throws SobreError `UnsupportedValue` when a value is nested too deep to be one that ends. */
export function checkDepth(depth: number): void {
  if (depth >= maxDepth) throw unsupported(`nests deeper than ${maxDepth} levels or contains itself`);
}

/** The step of a path to the member `name`. */
export function memberStep(name: string): string {
  return /^[\w$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** The steps from an error's value outwards, collected on the way up. */
const steps = new WeakMap<SobreError, string[]>();

/** Adds a step to the path of an error on its way up. */
export function inside(error: unknown, step: string): unknown {
  if (error instanceof SobreError) {
    const known = steps.get(error);
    if (known === undefined) steps.set(error, [step]);
    else known.push(step);
  }
  return error;
}

/** The error with the path that was collected, from `root`. */
export function withPath(error: unknown, root: string): unknown {
  if (!(error instanceof SobreError) || error.code !== "UnsupportedValue") return error;
  const path = `${root}${(steps.get(error) ?? []).reverse().join("")}`;
  return new SobreError(error.code, error.message.replace("The value", `The value at ${path}`), { path });
}

/** The error of a value that AMQP cannot hold. */
export function unsupported(why: string): SobreError {
  return new SobreError("UnsupportedValue", `The value ${why}; AMQP cannot hold it. Convert it before.`);
}
