import { AmqpMap } from "../envelope/index.ts";
import { ContentStream, MultiArray } from "../values/index.ts";
import { isMembers } from "./explorer-message.ts";
import type { Shape } from "./shape.ts";
import { type Guessing, isGuess, kindOf } from "./value-kind.ts";

/** What all messages of a type together say of one path, where a single message leaves it open. */
export interface SettledShape {
  readonly shape: Shape;
  /** Elements with one member, and empty ones, are lists here, since other messages have lists. */
  readonly list: boolean;
  /** Guessed numbers and booleans are text here, since other messages have text that is no number. */
  readonly text: boolean;
  readonly members: ReadonlyMap<string, SettledShape>;
  readonly items: SettledShape | undefined;
  readonly keys: SettledShape | undefined;
  /** Whether nothing in it has to be settled, so that values need not be looked through. */
  readonly idle: boolean;
}

/** Decides what the messages say; of a shape that is not changed any more. */
export function settleShape(shape: Shape): SettledShape {
  const { kinds } = shape;
  const numbers = shape.of("integer", "number", "boolean");
  const text = kinds.text > 0 && shape.guesses > 0 && shape.guesses === numbers;
  const members = new Map(Array.from(shape.members ?? [], ([name, member]) => [name, settleShape(member)] as const));
  const items = shape.items === undefined ? undefined : settleShape(shape.items);
  const keys = shape.keys === undefined ? undefined : settleShape(shape.keys);
  const list = kinds.list > 0 && kinds.list < shape.count - kinds.null;
  const idle = !text && !list && [...members.values(), items, keys].every((inner) => inner?.idle ?? true);
  return { shape, list, text, members, items, keys, idle };
}

/**
 * The body as all messages of its type together say it is, in place as far as possible: lists of one and empty lists become
 * lists, guessed numbers become the text they were. Nothing else changes.
 */
export function settleValue(body: unknown, shape: SettledShape, guessing: Guessing): unknown {
  if (guessing === "nothing" || shape.idle) return body;
  return new Settling(guessing).settle(body, shape);
}

class Settling {
  readonly #guessing: Guessing;
  /** What stands for a container, so that what was shared stays shared. */
  readonly #done = new Map<object, unknown>();

  constructor(guessing: Guessing) {
    this.#guessing = guessing;
  }

  settle(value: unknown, shape: SettledShape): unknown {
    if (shape.idle) return value;
    if (typeof value === "object" && value !== null) {
      if (this.#done.has(value)) return this.#done.get(value);
      const settled = shape.list ? this.#list(value, shape) : value;
      this.#done.set(value, settled);
      if (typeof settled === "object" && settled !== null) this.#inside(settled, shape);
      return settled;
    }
    if (shape.text && isGuess(value, kindOf(value), this.#guessing)) return String(value);
    if (!shape.list) return value;
    if (value === "" && shape.shape.kinds.text === 0) return [];
    return this.#isItem(value, shape) ? [shape.items === undefined ? value : this.settle(value, shape.items)] : value;
  }

  /** An element with one member that is the only item; or, as XmlSerializer writes repeated elements, the item itself. */
  #list(value: object, shape: SettledShape): unknown {
    if (!isMembers(value) || kindOf(value) !== "object") return this.#isItem(value, shape) ? [value] : value;
    const names = Object.keys(value);
    const itemNames = shape.items?.shape.members;
    const [only = ""] = names;
    if (names.length === 1 && itemNames?.has(only) !== true && this.#fits(value[only], shape.items))
      return [value[only]];
    const isItem =
      this.#guessing === "scalars" && names.length > 0 && names.every((name) => itemNames?.has(name) === true);
    return isItem ? [value] : value;
  }

  #isItem(value: unknown, shape: SettledShape): boolean {
    return this.#guessing === "scalars" && kindOf(value) !== "list" && value !== null && this.#fits(value, shape.items);
  }

  /** Whether other lists here have items of this kind. */
  #fits(value: unknown, items: SettledShape | undefined): boolean {
    return items !== undefined && items.shape.kinds[kindOf(value)] > 0;
  }

  #inside(value: object, shape: SettledShape): void {
    const { items, members } = shape;
    if (Array.isArray(value)) {
      if (items === undefined || items.idle) return;
      for (let index = 0; index < value.length; index++) value[index] = this.settle(value[index], items);
    } else if (value instanceof Map) {
      if (items !== undefined) for (const [key, item] of value) value.set(key, this.settle(item, items));
    } else if (
      isMembers(value) &&
      !(value instanceof MultiArray || value instanceof ContentStream || value instanceof AmqpMap)
    ) {
      for (const [name, member] of Object.entries(value)) {
        const inner = members.get(name) ?? (shape.shape.isDictionary ? items : undefined);
        if (inner === undefined || inner.idle) continue;
        const settled = this.settle(member, inner);
        if (settled !== member)
          Object.defineProperty(value, name, { value: settled, writable: true, enumerable: true, configurable: true });
      }
    }
  }
}
