/**
 * Whether two bodies are the same value: same types, same own enumerable members, `-0` apart from `0`, `NaN` equal to itself.
 *
 * Views of bytes compare as bytes, whether or not they are Node's `Buffer`; members that are `undefined` count as absent.
 */
export function sameValue(actual: unknown, expected: unknown): boolean {
  if (Object.is(actual, expected)) return true;
  if (typeof actual !== "object" || typeof expected !== "object" || actual === null || expected === null) return false;
  if (actual instanceof Uint8Array || expected instanceof Uint8Array) return sameBytes(actual, expected);
  if (actual instanceof Date && expected instanceof Date) return Object.is(actual.getTime(), expected.getTime());
  if (Array.isArray(actual) || Array.isArray(expected)) return sameList(actual, expected);
  if (actual instanceof Map && expected instanceof Map) return sameList([...actual], [...expected]);
  if (actual instanceof Set && expected instanceof Set) return sameList([...actual], [...expected]);
  if (tag(actual) !== tag(expected)) return false;
  return sameMembers(members(actual), members(expected));
}

/** Whether both are views of the same bytes. */
export function sameBytes(actual: unknown, expected: unknown): boolean {
  if (!(actual instanceof Uint8Array) || !(expected instanceof Uint8Array)) return false;
  return actual.length === expected.length && actual.every((byte, index) => byte === expected[index]);
}

function sameList(actual: unknown, expected: unknown): boolean {
  if (!Array.isArray(actual) || !Array.isArray(expected) || actual.length !== expected.length) return false;
  return actual.every((item, index) => sameValue(item, expected[index]));
}

function sameMembers(actual: ReadonlyMap<string, unknown>, expected: ReadonlyMap<string, unknown>): boolean {
  if (actual.size !== expected.size) return false;
  return [...expected].every(([name, value]) => actual.has(name) && sameValue(actual.get(name), value));
}

function members(value: object): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>(Object.entries(value).filter(([, member]) => member !== undefined));
}

function tag(value: object): string {
  return Object.prototype.toString.call(value);
}
