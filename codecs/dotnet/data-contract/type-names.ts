import { arrays, serialization, system } from "../xml/namespaces.ts";
import type { XmlName } from "../xml/node.ts";
import { xmlNameOf } from "./scalar-kind.ts";
import type { ResolvedShape } from "./shape.ts";

/** The name of an item of a list, or the part of a name that a type gives to collections of it. */
export function itemNameOf(shape: ResolvedShape): XmlName {
  if (shape.kind !== "scalar") return shape.name;
  const scalar = xmlNameOf(shape.scalar);
  if (scalar !== undefined) return { namespace: arrays, local: scalar.local };
  return { namespace: system, local: shape.scalar === "version" ? "Version" : "DateTimeOffset" };
}

/** The name of a root element. */
export function rootNameOf(shape: ResolvedShape): XmlName {
  const scalar = shape.kind === "scalar" ? xmlNameOf(shape.scalar) : undefined;
  return scalar === undefined ? itemNameOf(shape) : { namespace: serialization, local: scalar.local };
}
