/** The step from an object to its member in a path: `.Sku`, or `["two words"]`. */
export function memberStep(name: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
