import type { JavaCursor } from "./cursor.ts";
import type { ClassDescriptionNode, ContentNode, HandledNode, NullNode } from "./nodes.ts";

/** An element that is being read and needs its contents; frames are on an explicit stack, so that reading is not recursive. */
export interface JavaFrame {
  /** Continues reading, up to the next content that needs its own frame. */
  step(): void;
  /** Receives the content that {@link step} requested; `undefined` is `TC_ENDBLOCKDATA`. */
  take(content: ContentNode | undefined): void;
}

/** The contents that the grammar allows at one position. */
export type Allowed =
  /** Any object, e.g. a field or an element. */
  | "object"
  /** A class description, `null` or a reference to one. */
  | "description"
  /** Objects and block data up to `TC_ENDBLOCKDATA`. */
  | "annotation"
  /** Objects, block data and `TC_RESET`. */
  | "top";

/** The interface of the parser for its frames. */
export interface FrameParser {
  readonly cursor: JavaCursor;
  /** Whether to assume that a class with `writeObject` wrote none of its fields at this offset. */
  writesNoFields(description: ClassDescriptionNode): boolean;
  /** Reads the next content for the top frame: immediately if it is small, otherwise with a new frame. */
  read(allowed: Allowed): void;
  /** Reads text that the grammar requires to be a string object, new or by reference. */
  text(): string;
  /** Assigns the next handle; `make` creates the node with it. */
  handle<T extends HandledNode>(make: (handle: number) => T): T;
  /** Pushes a frame. */
  open(frame: JavaFrame): void;
  /** Pops the top frame and passes its content to the frame below. */
  close(content: ContentNode): void;
  /** Replaces the top frame. */
  replace(frame: JavaFrame): void;
  /** Enters a level of nesting. */
  deeper(offset: number): void;
  /** Leaves a level of nesting. */
  shallower(): void;
}

/** A run of nulls that is being read. */
class NullRow implements NullNode {
  readonly kind = "null";
  readonly offset: number;
  count = 1;

  constructor(offset: number) {
    this.offset = offset;
  }
}

/** Adds a content; a `null` after a `null` only increases its count. */
export function append(contents: ContentNode[], content: ContentNode): void {
  if (content.kind !== "null") {
    contents.push(content);
    return;
  }
  const last = contents.at(-1);
  if (last instanceof NullRow) last.count++;
  else contents.push(new NullRow(content.offset));
}
