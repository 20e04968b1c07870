/** The maximum number of steps shown in a path. */
const shown = 32;

/** The path to a value that cannot be encoded, e.g. `$.order.lines[2]`; cut after 32 steps. */
export function valuePath(steps: readonly (string | number)[]): string {
  const text = steps.slice(0, shown).map(stepText).join("");
  return `$${text}${steps.length > shown ? "…" : ""}`;
}

function stepText(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}
