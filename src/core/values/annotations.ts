import { invalidOption } from "../options/option-checks.ts";
/** Metadata of a foreign object besides its members. */
export interface Annotations {
  /** Its type: `{ns}Name` of a data contract, the CLR or JVM name otherwise. Rendered as `$type`. */
  readonly typeName?: string;
  /** Data that Java's `writeObject` or `writeExternal` appended. Rendered as `$data`. */
  readonly data?: readonly unknown[];
  /** Members of base classes that a member of the same name hides, per class. Rendered as `$super`. */
  readonly superMembers?: object;
  /** Whether it is a dictionary, its members being entries: no class lists them. Not rendered. */
  readonly isDictionary?: boolean;
  /** Whether it is a list since XML repeats an element among other members. Not rendered. */
  readonly isRepeated?: boolean;
  /** The name of the elements of a list that XML does not name as one: such an element may be an object, too. Not rendered. */
  readonly itemName?: string;
  /** The members or items whose scalar type the payload names, by name or index; or all of them. Not rendered. */
  readonly typed?: "all" | Set<unknown>;
  /** The members or items that are floating-point numbers by their type, by name or index; or all of them. Not rendered. */
  readonly doubles?: "all" | Set<unknown>;
}

const allDoubles: Annotations = Object.freeze({ doubles: "all" });

/** Notes, in place, that a member or an item is a floating-point number by its type, or all are: 5 may be one. */
export function annotateDouble<T extends object>(target: T, key?: unknown): T {
  const doubles = annotationsOf(target)?.doubles;
  if (key === undefined) return annotate(target, allDoubles);
  if (doubles === undefined) return annotate(target, { doubles: new Set([key]) });
  if (doubles !== "all") doubles.add(key);
  return target;
}

/** Whether {@link annotateDouble} marked a member or an item. */
export function isDoubleIn(container: object, key: unknown): boolean {
  const doubles = annotationsOf(container)?.doubles;
  return doubles !== undefined && (doubles === "all" || doubles.has(key));
}

const allTyped: Annotations = Object.freeze({ typed: "all" });

/** Notes, in place, that the payload names the scalar type of a member or an item, or of all. */
export function annotateTyped(target: object, key?: unknown): void {
  const typed = annotationsOf(target)?.typed;
  if (key === undefined) annotate(target, allTyped);
  else if (typed === undefined) annotate(target, { typed: new Set([key]) });
  else if (typed !== "all") typed.add(key);
}

/** Whether {@link annotateTyped} marked a member or an item. */
export function isTypedIn(container: object, key: unknown): boolean {
  const typed = annotationsOf(container)?.typed;
  return typed !== undefined && (typed === "all" || typed.has(key));
}

const repeatedMark: Annotations = Object.freeze({ isRepeated: true });

/** Marks a list, in place, as the values of an element that XML repeats. */
export function annotateRepeated<T extends object>(target: T): T {
  return annotate(target, repeatedMark);
}

const dictionaryMark: Annotations = Object.freeze({ isDictionary: true });

/** Marks an object as a dictionary, in place. */
export function annotateDictionary<T extends object>(target: T): T {
  return annotate(target, dictionaryMark);
}

const key: unique symbol = Symbol.for("sobre.annotations");

interface Annotated {
  readonly [key]?: Annotations;
}

/** Marks an object or list, in place, with metadata; the mark is not a member and is not enumerated. */
export function annotate<T extends object>(target: T, annotations: Annotations): T {
  if (!Object.isExtensible(target)) throw invalidOption("target", "must be an extensible object");
  if (typeof annotations !== "object" || annotations === null || !isMark(annotations.typed))
    throw invalidOption("annotations", 'must be an object, whose member typed is "all" or a Set');
  const before = annotationsOf(target);
  // Many objects of one type can share what is frozen already.
  const value =
    before === undefined && Object.isFrozen(annotations) ? annotations : Object.freeze({ ...before, ...annotations });
  return Object.defineProperty(target, key, { value, configurable: true });
}

/** A mark that very many new objects share: it is checked once. */
export class SharedMark {
  readonly #descriptor: PropertyDescriptor;

  constructor(annotations: Annotations) {
    this.#descriptor = { value: Object.freeze(annotations), configurable: true };
  }

  /** {@link annotate} for an object that was made for it, and so has no mark yet. */
  on<T extends object>(made: T): T {
    return Object.defineProperty(made, key, this.#descriptor);
  }
}

const isMark = (typed: unknown): boolean => typed === undefined || typed === "all" || typed instanceof Set;

/** The marks of {@link annotate}. */
export function annotationsOf(value: object): Annotations | undefined {
  const annotated: Annotated | undefined | null = value;
  return annotated?.[key];
}

/** The type that an object of a legacy payload names, or `undefined`. */
export function typeNameOf(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? annotationsOf(value)?.typeName : undefined;
}
