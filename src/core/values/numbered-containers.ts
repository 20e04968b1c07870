import { ContentStream, MultiArray } from "./multi-array.ts";

/** A container that is still empty. */
export interface EmptyContainer {
  readonly target: object;
  /** The list of its items, where it is not the target itself. */
  readonly items?: unknown[];
}

/** An object of the `$` rendering that stands for a container, and the empty container with its number. */
interface NumberedContainer {
  readonly json: object;
  readonly id: string;
  readonly made: EmptyContainer;
}

/**
 * The containers with an `$id` in a `$` rendering, each still empty, so that a `$ref` may come before what it names: members have any
 * order, and JavaScript puts those with numbers as names first.
 */
export function numberedContainers(root: unknown): readonly NumberedContainer[] {
  const found: NumberedContainer[] = [];
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const json = pending.pop();
    if (Array.isArray(json)) for (const item of json) pending.push(item);
    else if (typeof json === "object" && json !== null) {
      const { $id, $type: _type, $data, $super, ...rest }: Partial<Record<string, unknown>> = { ...json };
      const tag = Object.keys(rest).find((key) => key.startsWith("$"));
      const content = tag === undefined ? rest : rest[tag];
      if (typeof $id === "string") {
        const made = emptyContainer(tag, content);
        if (made !== undefined) found.push({ json, id: $id, made });
      }
      pending.push($data, $super, ...innerValues(tag, content));
    }
  }
  return found;
}

/** The empty container of a tag; `undefined` for tags of scalars, and for an array without lengths. */
export function emptyContainer(tag: string | undefined, content: unknown): EmptyContainer | undefined {
  switch (tag) {
    case undefined:
    case "$object":
      return { target: {} };
    case "$values": {
      const items: unknown[] = [];
      return { target: items, items };
    }
    case "$map":
      return { target: new Map<unknown, unknown>() };
    case "$stream": {
      const items: unknown[] = [];
      return { target: new ContentStream(items), items };
    }
    case "$array": {
      const { lengths }: Partial<Record<string, unknown>> = { ...membersIn(content) };
      const items: unknown[] = [];
      return Array.isArray(lengths) ? { target: new MultiArray(lengths.map(Number), items), items } : undefined;
    }
    default:
      return undefined;
  }
}

/** The values in the content of a tag; a scalar's has none, and a member of `$object` is one whatever its name. */
function innerValues(tag: string | undefined, content: unknown): readonly unknown[] {
  if (tag === "$ref") return [];
  if (tag === undefined || tag === "$object" || tag === "$array" || tag === "$amqpArray")
    return Object.values(membersIn(content));
  return Array.isArray(content) ? content : [];
}

function membersIn(content: unknown): object {
  return typeof content === "object" && content !== null ? content : {};
}
