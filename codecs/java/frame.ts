import type { Cursor } from "./cursor.ts";
import type { ClassDescriptionNode, ContentNode, HandledNode, NullNode } from "./nodes.ts";

/** Something that is being read and waits for its contents; frames lie on their own stack, not on the engine's. */
export interface Frame {
  /** Reads on, up to the next content that takes its own frame. */
  step(): void;
  /** Takes the content that {@link step} asked for; `undefined` is `TC_ENDBLOCKDATA`. */
  take(content: ContentNode | undefined): void;
}

/** The contents that the grammar allows at one place. */
export type Allowed =
  /** Any object, as a field or an element is. */
  | "object"
  /** A class description, `null` or a reference to one. */
  | "description"
  /** Objects and block data up to `TC_ENDBLOCKDATA`. */
  | "annotation"
  /** Objects, block data and `TC_RESET`. */
  | "top";

/** The parser as its frames see it. */
export interface Parser {
  readonly cursor: Cursor;
  /** Whether a class with `writeObject` is taken to have written none of its fields at this place. */
  writesNoFields(description: ClassDescriptionNode): boolean;
  /** Reads the next content for the frame on top: at once where it is small, else by a new frame. */
  read(allowed: Allowed): void;
  /** Reads text that the grammar wants as a string object, new or by reference. */
  text(): string;
  /** Gives the next handle; `make` makes the node that has it. */
  handle<T extends HandledNode>(make: (handle: number) => T): T;
  /** Puts a frame on the stack. */
  open(frame: Frame): void;
  /** Takes the top frame off and gives its content to the frame below. */
  close(content: ContentNode): void;
  /** Takes the top frame off and puts another in its place. */
  replace(frame: Frame): void;
  /** Counts a level of nesting from here on. */
  deeper(offset: number): void;
  /** Ends a level of nesting. */
  shallower(): void;
}

/** A row of nulls that is being read. */
class NullRow implements NullNode {
  readonly kind = "null";
  readonly offset: number;
  count = 1;

  constructor(offset: number) {
    this.offset = offset;
  }
}

/** Adds a content; a `null` behind a `null` only counts. */
export function append(contents: ContentNode[], content: ContentNode): void {
  if (content.kind !== "null") {
    contents.push(content);
    return;
  }
  const last = contents.at(-1);
  if (last instanceof NullRow) last.count++;
  else contents.push(new NullRow(content.offset));
}
