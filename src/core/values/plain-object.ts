/** Whether a value is an object with members: neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether objects with this prototype are plain objects: literals, null-prototype objects, those of other realms. */
export function isPlainPrototype(prototype: unknown): boolean {
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether a value is a plain object: neither an array nor an instance of a class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && isPlainPrototype(Object.getPrototypeOf(value));
}

/** Sets an own member, whatever its name: assigning to `__proto__` would set the prototype. */
export function setMember(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
