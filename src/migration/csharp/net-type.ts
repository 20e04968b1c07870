import type { ScalarKind } from "../../../codecs/dotnet/data-contract/scalar-kind.ts";
import { clrNameOf, type DeclaredType } from "./declared-type.ts";

/** A type of .NET as contracts know it. */
export type NetType =
  | { readonly kind: "scalar"; readonly scalar: ScalarKind }
  | { readonly kind: "nullable"; readonly inner: NetType }
  | { readonly kind: "list"; readonly item: NetType; readonly isArray: boolean }
  | { readonly kind: "map"; readonly key: NetType; readonly value: NetType }
  | { readonly kind: "declared"; readonly type: DeclaredType; readonly args: readonly NetType[] }
  | { readonly kind: "framework"; readonly type: FrameworkClass; readonly args: readonly NetType[] };

/** A generic class of .NET's own that contracts describe by its members. */
export interface FrameworkClass {
  readonly name: string;
  readonly namespace: string;
  readonly isStruct: boolean;
  /** The names of the members; each has the type of the type argument in its place. */
  readonly members: readonly string[];
}

/** A type whose values name their types on the wire. */
export const anyType: NetType = { kind: "scalar", scalar: "any" };

/** Whether values of a type are never null. */
export function isValueType(type: NetType): boolean {
  switch (type.kind) {
    case "scalar":
      return !["any", "bytes", "qname", "string", "uri", "version"].includes(type.scalar);
    case "declared":
      return type.type.kind === "struct" || type.type.kind === "enum";
    case "framework":
      return type.type.isStruct;
    default:
      return false;
  }
}

/** Whether a type is made of more parts than a limit; counts no further. */
export function isLargerThan(limit: number, type: NetType): boolean {
  const waiting: NetType[] = [type];
  let count = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (++count > limit) return true;
    if (next.kind === "nullable") waiting.push(next.inner);
    else if (next.kind === "list") waiting.push(next.item);
    else if (next.kind === "map") waiting.push(next.key, next.value);
    else if (next.kind !== "scalar") waiting.push(...next.args);
  }
  return false;
}

/** A text that two types share only if they are the same. */
export function identityOf(type: NetType): string {
  switch (type.kind) {
    case "scalar":
      return type.scalar;
    case "nullable":
      return `${identityOf(type.inner)}?`;
    case "list":
      return `${identityOf(type.item)}${type.isArray ? "[]" : "*"}`;
    case "map":
      return `{${identityOf(type.key)}:${identityOf(type.value)}}`;
    default: {
      const { name, namespace } = type.type;
      const own = type.kind === "declared" ? clrNameOf(type.type) : `${namespace}.${name}`;
      return `${own}<${type.args.map(identityOf).join(",")}>`;
    }
  }
}
