import type { ScalarKind } from "../../../codecs/dotnet/data-contract/scalar-kind.ts";
import { anyType, type FrameworkClass, type NetType } from "./net-type.ts";

/** C#'s words for types. */
const keywords: Readonly<Record<string, ScalarKind>> = {
  bool: "boolean",
  byte: "byte",
  char: "char",
  decimal: "decimal",
  double: "double",
  dynamic: "any",
  float: "float",
  int: "int",
  long: "long",
  object: "any",
  sbyte: "sbyte",
  short: "short",
  string: "string",
  uint: "uint",
  ulong: "ulong",
  ushort: "ushort",
};

const scalars: Readonly<Record<string, ScalarKind>> = {
  "System.Boolean": "boolean",
  "System.Byte": "byte",
  "System.Char": "char",
  "System.DateTime": "dateTime",
  "System.DateTimeOffset": "dateTimeOffset",
  "System.Decimal": "decimal",
  "System.Double": "double",
  "System.Guid": "guid",
  "System.Int16": "short",
  "System.Int32": "int",
  "System.Int64": "long",
  "System.Object": "any",
  "System.SByte": "sbyte",
  "System.Single": "float",
  "System.String": "string",
  "System.TimeSpan": "timespan",
  "System.UInt16": "ushort",
  "System.UInt32": "uint",
  "System.UInt64": "ulong",
  "System.Uri": "uri",
  "System.Version": "version",
  "System.Xml.XmlQualifiedName": "qname",
  // Whatever they hold, the bytes show it.
  "System.Data.DataSet": "any",
  "System.Data.DataTable": "any",
  "System.Enum": "any",
  "System.Numerics.BigInteger": "any",
  "System.ValueType": "any",
};

const generic = "System.Collections.Generic";
const objectModel = "System.Collections.ObjectModel";

const lists: ReadonlySet<string> = new Set([
  ...["List", "IList", "ICollection", "IEnumerable", "HashSet", "SortedSet", "LinkedList", "Queue", "Stack"].map(
    (name) => `${generic}.${name}`,
  ),
  ...["Collection", "ObservableCollection"].map((name) => `${objectModel}.${name}`),
  "System.ComponentModel.BindingList",
]);
const maps: ReadonlySet<string> = new Set([
  ...["Dictionary", "IDictionary", "SortedDictionary", "SortedList"].map((name) => `${generic}.${name}`),
  "System.Collections.Concurrent.ConcurrentDictionary",
]);
const plainLists: ReadonlySet<string> = new Set(
  ["ArrayList", "IList", "ICollection", "IEnumerable"].map((name) => `System.Collections.${name}`),
);
const plainMaps: ReadonlySet<string> = new Set(["System.Collections.Hashtable", "System.Collections.IDictionary"]);

/** Interfaces of collections that data contracts do not know: their members are of any type on the wire. */
const unknownInterfaces: ReadonlySet<string> = new Set(
  ["ISet", "IReadOnlyList", "IReadOnlyCollection", "IReadOnlyDictionary", "IReadOnlySet"].map(
    (name) => `${generic}.${name}`,
  ),
);

const tupleMembers = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_one, index) => `${prefix}${index + 1}`);

const classes: ReadonlyMap<string, FrameworkClass> = new Map(
  [
    { name: "KeyValuePair", namespace: generic, isStruct: true, members: ["key", "value"] },
    ...[1, 2, 3, 4, 5, 6, 7].flatMap((count): readonly FrameworkClass[] => [
      { name: "Tuple", namespace: "System", isStruct: false, members: tupleMembers("m_Item", count) },
      { name: "ValueTuple", namespace: "System", isStruct: true, members: tupleMembers("Item", count) },
    ]),
  ].map((one) => [`${one.namespace}.${one.name}\`${one.members.length}`, one]),
);

/** The types of the framework that can be written without their namespace, by name and number of parameters. */
const short: ReadonlyMap<string, string> = new Map([
  ...Object.keys(scalars).map((name) => [name.slice(name.lastIndexOf(".") + 1), name] as const),
  ...[...plainLists, ...plainMaps].map((name) => [name.slice(name.lastIndexOf(".") + 1), name] as const),
  ...[...lists].map((name) => [`${name.slice(name.lastIndexOf(".") + 1)}\`1`, name] as const),
  ...[...maps].map((name) => [`${name.slice(name.lastIndexOf(".") + 1)}\`2`, name] as const),
  ...[...unknownInterfaces].flatMap((name) =>
    [1, 2].map((count) => [`${name.slice(name.lastIndexOf(".") + 1)}\`${count}`, name] as const),
  ),
  ...[...classes.keys()].map((key) => [key.slice(key.lastIndexOf(".") + 1), key.replace(/`\d$/, "")] as const),
  ["Nullable`1", "System.Nullable"],
]);

/** The type that a keyword of C# names. */
export function keywordType(name: string): NetType | undefined {
  const scalar = Object.hasOwn(keywords, name) ? keywords[name] : undefined;
  return scalar && { kind: "scalar", scalar };
}

/** A type of .NET itself, by its name with or without namespace; `undefined` for others. */
export function frameworkType(written: string, args: readonly NetType[]): NetType | undefined {
  const count = args.length;
  const name = written.includes(".") ? written : (short.get(count === 0 ? written : `${written}\`${count}`) ?? "");
  const [first = anyType, second = anyType] = args;
  if (count === 0) {
    const scalar = Object.hasOwn(scalars, name) ? scalars[name] : undefined;
    if (scalar !== undefined) return { kind: "scalar", scalar };
    if (plainLists.has(name)) return { kind: "list", item: anyType, isArray: false };
    return plainMaps.has(name) ? { kind: "map", key: anyType, value: anyType } : undefined;
  }
  if (unknownInterfaces.has(name)) return anyType;
  if (count === 1 && name === "System.Nullable") return { kind: "nullable", inner: first };
  if (count === 1 && lists.has(name)) return { kind: "list", item: first, isArray: false };
  if (count === 2 && maps.has(name)) return { kind: "map", key: first, value: second };
  const type = classes.get(`${name}\`${count}`);
  return type && { kind: "framework", type, args };
}
