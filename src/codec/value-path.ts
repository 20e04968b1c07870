/** Steps that a path shows: nobody reads more. */
const shown = 32;

/** The way to a value that cannot be encoded, as `$.order.lines[2]`; of very long ones the first 32 steps. */
export function valuePath(steps: readonly (string | number)[]): string {
  const text = steps.slice(0, shown).map(stepText).join("");
  return `$${text}${steps.length > shown ? "…" : ""}`;
}

function stepText(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}
