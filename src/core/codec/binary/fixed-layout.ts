/** How the objects of a class lie in a payload when all members are primitives of a fixed size. */
export class FixedLayout<Type extends string> {
  readonly types: readonly Type[];
  /** Offset of each member from the first. */
  readonly places: readonly number[];
  /** Bytes of all members. */
  readonly size: number;
  readonly #booleans: readonly number[];

  /** `boolean` is the type whose only bytes are 0 and 1. */
  constructor(types: readonly Type[], sizes: Readonly<Record<Type, number>>, boolean: Type) {
    this.types = types;
    let size = 0;
    this.places = types.map((type) => (size += sizes[type]) - sizes[type]);
    this.size = size;
    this.#booleans = this.places.filter((_, index) => types[index] === boolean);
  }

  /** Whether every boolean of the object whose members begin at `start` is 0 or 1. */
  hasBooleans(bytes: Uint8Array, start: number): boolean {
    for (const place of this.#booleans) if ((bytes[start + place] ?? 0) > 1) return false;
    return true;
  }
}

/** An object of a {@link FixedLayout} that makes its nodes when asked for them: most objects are such. */
export class FixedNode<Layout> {
  readonly offset: number;
  readonly layout: Layout;
  /** Offset of the first member. */
  readonly start: number;
  /** Whether it can be reached in more than one way, and so must be built once. */
  isShared = false;

  constructor(layout: Layout, offset: number, start: number) {
    this.offset = offset;
    this.layout = layout;
    this.start = start;
  }
}

/** Notes that a node can be reached in more than one way. */
export function share(node: object | undefined): void {
  if (node instanceof FixedNode) node.isShared = true;
}
