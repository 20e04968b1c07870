/** The way from the root of a value down to a member, innermost first. */
export interface Step {
  readonly parent: Step | undefined;
  readonly key: string | number;
}

const shown = 32;

/** Writes a path as `$.order.lines[2]`; of very long ones the first 32 steps. */
export function pathTo(step: Step | undefined): string {
  const parts: string[] = [];
  for (let at = step; at !== undefined; at = at.parent) parts.push(part(at.key));
  const cut = parts.length > shown ? "…" : "";
  return `$${parts.reverse().slice(0, shown).join("")}${cut}`;
}

function part(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  return /^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
