/** The parts of protobufjs in use, in the one module that imports it. */
import { Field, type ReflectionObject, Type } from "protobufjs";

export {
  common,
  Enum,
  Field,
  type INamespace,
  MapField,
  Namespace,
  parse,
  Reader,
  Root,
  Service,
  Type,
  util,
  Writer,
} from "protobufjs";

/**
 * Runs a parse in time that grows with the fields of a message rather than with their square: protobufjs (8.8) rebuilds
 * the index of a message's fields for each field that it adds, unless the index is there.
 */
export function withFieldIndex<Result>(run: () => Result): Result {
  const prototype: { add: (object: ReflectionObject) => Type } = Type.prototype;
  const original = Reflect.get(prototype, "add");
  const indexes = new WeakMap<Type, Record<number, Field>>();
  prototype.add = function addIndexed(this: Type, object: ReflectionObject): Type {
    const index = indexes.get(this) ?? {};
    indexes.set(this, index);
    if (object instanceof Field && object.extend === undefined) Reflect.set(this, "_fieldsById", index);
    const added = original.call(this, object);
    if (object instanceof Field && object.extend === undefined) index[object.id] = object;
    return added;
  };
  try {
    return run();
  } finally {
    prototype.add = original;
  }
}
