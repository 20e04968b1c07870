import type { ContentNode, NullNode } from "./nodes.ts";

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
