import { annotationsOf } from "./annotations.ts";
import { TaggedScalar, TaggedValue } from "./tagged-value.ts";
import { AmqpMap } from "./typed.ts";

/** A value that holds others and has an identity: a list, a map, an object with members. */
export type ContainerValue = readonly unknown[] | ReadonlyMap<unknown, unknown> | AmqpMap | TaggedValue | object;

/** Whether a value holds others and has an identity; instances of unknown classes do not count. */
export function isContainer(value: object): value is ContainerValue {
  if (Array.isArray(value) || value instanceof Map || value instanceof AmqpMap) return true;
  if (value instanceof TaggedValue) return !(value instanceof TaggedScalar);
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** The lists, maps and objects in a value that are reached more than once, itself among them. */
export function sharedIn(value: unknown): ReadonlySet<ContainerValue> {
  const seen = new Set<ContainerValue>();
  const shared = new Set<ContainerValue>();
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== "object" || next === null || !isContainer(next)) continue;
    if (seen.has(next)) {
      shared.add(next);
      continue;
    }
    seen.add(next);
    for (const inner of contentsOf(next)) pending.push(inner);
    const { data, superMembers } = annotationsOf(next) ?? {};
    pending.push(superMembers, ...(data ?? []));
  }
  return shared;
}

function contentsOf(container: ContainerValue): Iterable<unknown> {
  if (Array.isArray(container)) return container;
  if (container instanceof Map || container instanceof AmqpMap) return Array.from(container).flat();
  if (!(container instanceof TaggedValue)) return Object.values(container);
  const inner: unknown[] = [];
  container.toTagged((item) => {
    inner.push(item);
    return null;
  });
  return inner;
}
