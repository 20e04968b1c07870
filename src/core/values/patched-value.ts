/** A value of which parts can be replaced; what is not replaced stays shared with the original. */
export class PatchedValue {
  #root: unknown;
  /** Containers that were copied, and may be changed. */
  readonly #own = new Set<unknown>();

  constructor(value: unknown) {
    this.#root = value;
  }

  get value(): unknown {
    return this.#root;
  }

  /** Replaces what is at the end of a path of names and indexes. */
  replace(steps: readonly PropertyKey[], value: unknown): void {
    const last = steps.at(-1);
    if (last === undefined) {
      this.#root = value;
      return;
    }
    this.#root = this.#owned(this.#root);
    let container = this.#root;
    for (const step of steps.slice(0, -1)) {
      const inner = this.#owned(memberAt(container, step));
      write(container, step, inner);
      container = inner;
    }
    write(container, last, value);
  }

  #owned(container: unknown): unknown {
    if (this.#own.has(container) || typeof container !== "object" || container === null) return container;
    const copy: unknown = Array.isArray(container) ? Array.from<unknown>(container) : { ...container };
    this.#own.add(copy);
    return copy;
  }
}

/** The own member of an object or list; `undefined` for anything else. */
export function memberAt(container: unknown, step: PropertyKey): unknown {
  const isThere = typeof container === "object" && container !== null && Object.hasOwn(container, step);
  return isThere ? Reflect.get(container, step) : undefined;
}

function write(container: unknown, step: PropertyKey, value: unknown): void {
  // Not by assignment, which for "__proto__" would set no member.
  if (typeof container === "object" && container !== null)
    Object.defineProperty(container, step, { value, writable: true, enumerable: true, configurable: true });
}
