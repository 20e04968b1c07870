import { createHash } from "node:crypto";
import { arrays, serialization, system, xsd } from "../xml/namespaces.ts";
import type { XmlName } from "../xml/node.ts";
import { xmlNameOf } from "./scalar-kind.ts";
import type { ResolvedShape } from "./shape.ts";

/** The name of a list item, in the namespace of collections of its type. */
export function itemNameOf(shape: ResolvedShape): XmlName {
  const { namespace, local } = typeNameOf(shape);
  return { namespace: isBuiltIn(namespace) ? arrays : namespace, local };
}

/** The name of a type, e.g. `int` of XML Schema; that of a `Nullable<T>` is in the namespace System. */
export function typeNameOf(shape: ResolvedShape, nullable: boolean = false): XmlName {
  const name =
    shape.kind !== "scalar"
      ? shape.name
      : (xmlNameOf(shape.scalar) ?? {
          namespace: system,
          local: shape.scalar === "version" ? "Version" : "DateTimeOffset",
        });
  return nullable ? { namespace: system, local: genericName("Nullable", [name]) } : name;
}

/**
 * The name that .NET gives a generic type: the names of its arguments, and a digest of their namespaces unless all of them
 * are scalars: `KeyValueOfguidArrayOfStockLineTPImy8_Sh`.
 */
export function genericName(name: string, parameters: readonly XmlName[]): string {
  const plain = `${name}Of${parameters.map(({ local }) => local).join("")}`;
  if (parameters.every(({ namespace }) => isBuiltIn(namespace))) return plain;
  const namespaces = parameters.map(({ namespace }) => ` ${namespace}`).join("");
  const digest = createHash("md5").update(` ${parameters.length}${namespaces}`).digest().subarray(0, 6);
  return `${plain}${digest.toString("base64").replaceAll("/", "_S").replaceAll("+", "_P")}`;
}

function isBuiltIn(namespace: string): boolean {
  return namespace === xsd || namespace === serialization;
}

/** The name of a root element. */
export function rootNameOf(shape: ResolvedShape): XmlName {
  const scalar = shape.kind === "scalar" ? xmlNameOf(shape.scalar) : undefined;
  return scalar === undefined ? typeNameOf(shape) : { namespace: serialization, local: scalar.local };
}
