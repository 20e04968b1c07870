import { annotationsOf } from "../../core/values/annotations.ts";
import { isObject, isPlainPrototype } from "../../core/values/plain-object.ts";
import { AmqpMap } from "../../core/values/typed.ts";
import { ContentStream, MultiArray } from "../../core/values/multi-array.ts";
import type { SettledShape } from "./settled-shape.ts";

/** The member that names the type of each object whose payload names one. */
export interface TypeDiscriminator {
  /** Its name, e.g. `kind`. */
  readonly member: string;
  /** The text for a type: its name without its namespace, package or assembly, unless others of the same message type share it. */
  textOf(typeName: string): string;
}

/** The discriminator of a message type; a type has one text in all its messages. */
export function discriminatorOf(member: string | undefined, shape: SettledShape): TypeDiscriminator | undefined {
  if (member === undefined) return undefined;
  const full = new Set<string>();
  collect(shape, full);
  const byText = Map.groupBy(full, localName);
  return {
    member,
    textOf(typeName) {
      const text = localName(typeName);
      return byText.get(text)?.length === 1 && full.has(typeName) ? text : typeName;
    },
  };
}

function collect({ shape, members, items, keys }: SettledShape, into: Set<string>): void {
  for (const name of shape.typeNames) into.add(name);
  for (const inner of [...members.values(), items, keys]) if (inner !== undefined) collect(inner, into);
}

/** `Dog` of `{urn:pets}Dog`, `Pets.Animals.Dog, Pets` and `com.pets.Dog`; names of generic types stay whole. */
function localName(typeName: string): string {
  const name = typeName.replace(/^\{[^}]*\}/, "").replace(/, [^[\]]*$/, "");
  return /[[<`]/.test(name) ? name : name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf("+")) + 1);
}

/** The text for an object, or `undefined` when its payload does not name its type. */
export function typeTextOf(value: object, discriminator: TypeDiscriminator | undefined): string | undefined {
  if (discriminator === undefined) return undefined;
  const { typeName, isDictionary = false } = annotationsOf(value) ?? {};
  const isWritable = !isDictionary && isPlainPrototype(Object.getPrototypeOf(value));
  return typeName === undefined || !isWritable ? undefined : discriminator.textOf(typeName);
}

/** Removes the discriminators from a decoded body, in place, where the original body has objects with a type. */
export function removeTypes(body: unknown, decoded: unknown, discriminator: TypeDiscriminator): void {
  if (typeof body !== "object" || body === null) return;
  if (Array.isArray(body)) removeFromItems(body, decoded, discriminator);
  else if (body instanceof ContentStream) removeFromItems(body.contents, decoded, discriminator);
  else if (body instanceof MultiArray) {
    const flat = Array.isArray(decoded) ? decoded.flat(Math.max(0, body.lengths.length - 1)) : [];
    removeFromItems(body.values, flat, discriminator);
  } else if (body instanceof Map || body instanceof AmqpMap) {
    const pairs = Array.from(body, (pair): readonly unknown[] => pair);
    removeFromItems(pairs, decoded, discriminator);
  } else if (isObject(body) && isObject(decoded)) {
    if (typeTextOf(body, discriminator) !== undefined) Reflect.deleteProperty(decoded, discriminator.member);
    for (const name of Object.keys(body)) removeTypes(body[name], decoded[name], discriminator);
  }
}

function removeFromItems(items: readonly unknown[], decoded: unknown, discriminator: TypeDiscriminator): void {
  if (Array.isArray(decoded))
    for (const [index, item] of items.entries()) removeTypes(item, decoded[index], discriminator);
}
