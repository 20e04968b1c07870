import type { DotnetContract } from "../../../codecs/dotnet/index.ts";

/** The CLR namespace of the fixtures' types. */
const namespace = "http://schemas.datacontract.org/2004/07/Sobre.Fixtures";

type Schema = DotnetContract;

const ref = (name: string, hint: Schema = {}): Schema => ({
  $ref: `#/$defs/${name}`,
  ...(Object.keys(hint).length === 0 ? {} : { "x-dotnet": hint }),
});
const scalar = (type: string, hint: Schema = {}): Schema => ({ "x-dotnet": { type, ...hint } });
const nullable = (type: string): Schema => ({ type: ["null"], "x-dotnet": type });
const list = (item: Schema): Schema => ({ type: "array", items: item });
const array = (item: Schema): Schema => ({ type: "array", items: item, "x-dotnet": "array" });
const map = (value: Schema): Schema => ({ type: "object", additionalProperties: value });
const many = (type: string, ...names: readonly string[]): Schema =>
  Object.fromEntries(names.map((name) => [name, scalar(type)]));

/** The declarations of the fixtures' types, one by one, as their C# has them. */
const types: Readonly<Record<string, Schema>> = {
  Address: {
    "x-dotnet": { namespace: "", clrName: "Sobre.Fixtures.Address" },
    properties: { City: scalar("string"), Street: scalar("string"), Zip: scalar("int") },
  },
  AllScalars: {
    properties: {
      B: scalar("boolean"),
      Bin: scalar("bytes"),
      Ch: scalar("char"),
      Dec: scalar("decimal"),
      Dt: scalar("dateTime"),
      E: ref("Plain"),
      F32: scalar("float"),
      F64: scalar("double"),
      G: scalar("guid"),
      I16: scalar("short"),
      I32: scalar("int"),
      I64: scalar("long"),
      I8: scalar("sbyte"),
      S: scalar("string"),
      Ts: scalar("timespan"),
      U16: scalar("ushort"),
      U32: scalar("uint"),
      U64: scalar("ulong"),
      U8: scalar("byte"),
    },
  },
  Animal: { properties: { Name: scalar("string") } },
  Arrays: {
    properties: {
      Bools: array(scalar("boolean")),
      Bytes: scalar("bytes"),
      Dates: array(scalar("dateTime")),
      Decs: array(scalar("decimal")),
      Doubles: array(scalar("double")),
      Floats: array(scalar("float")),
      Guids: array(scalar("guid")),
      Ints: array(scalar("int")),
      Longs: array(scalar("long")),
      Shorts: array(scalar("short")),
      Spans: array(scalar("timespan")),
      Strs: array(scalar("string")),
    },
  },
  BigEnum: { "x-dotnet": { type: "enum", members: { Max: "9223372036854775807" } } },
  Customer: {
    "x-dotnet": { namespace: "urn:sobre:customers", clrName: "Sobre.Fixtures.Customer" },
    properties: {
      Address: ref("Address"),
      Tags: list(scalar("string")),
      edad: scalar("int", { member: "Age" }),
      nombre: scalar("string", { member: "Name" }),
    },
  },
  Deep: { properties: { D: scalar("int"), N: ref("Deep") } },
  Digits: { properties: many("string", "A", "B", "C", "D", "E", "F") },
  Dog: {
    "x-dotnet": { namespace: "urn:sobre:zoo", clrName: "Sobre.Fixtures.Dog" },
    allOf: [ref("Animal")],
    properties: { Barks: scalar("boolean") },
  },
  Flags: { "x-dotnet": { type: "enum", flags: true, members: { A: 1, B: 2, C: 4 } } },
  GenInt: {
    "x-dotnet": { name: "Generic_int", clrName: "GenOfInt32" },
    properties: { Value: scalar("int") },
  },
  GenLines: {
    "x-dotnet": { name: "Generic_ArrayOfLine", clrName: "GenOfListOfLine" },
    properties: { Value: list(ref("Line")) },
  },
  KeyValue: {
    "x-dotnet": {
      name: "KeyValuePairOfstringint",
      namespace: "http://schemas.datacontract.org/2004/07/System.Collections.Generic",
    },
    properties: { key: scalar("string"), value: scalar("int") },
  },
  Line: { properties: { Price: scalar("double"), Qty: scalar("int"), Sku: scalar("string") } },
  Money: {
    "x-dotnet": { serializable: true },
    properties: { amount: scalar("decimal", { member: "Amount" }), ccy: scalar("string", { member: "Ccy" }) },
  },
  Node: {
    "x-dotnet": { reference: true },
    properties: { Children: list(ref("Node")), Label: scalar("string"), Next: ref("Node") },
  },
  Nullables: {
    properties: {
      A: nullable("int"),
      B: nullable("int"),
      C: nullable("dateTime"),
      D: nullable("boolean"),
      E: nullable("guid"),
      F: scalar("string"),
      G: scalar("string", { omitDefault: true }),
      H: scalar("int", { omitDefault: true }),
    },
  },
  OddNames: {
    "x-dotnet": { name: "Nombre.Raro", namespace: "urn:x?a=1&b=2", clrName: "Sobre.Fixtures.OddNames" },
    properties: many("string", "1st", "a:b", "con espacio", "ñandú"),
  },
  Offsets: { properties: { Link: scalar("uri"), Q: scalar("qname"), When: scalar("dateTimeOffset") } },
  Order: {
    "x-dotnet": { namespace: "urn:sobre:orders:v1", clrName: "Sobre.Fixtures.Order" },
    properties: {
      OrderId: scalar("string", { order: 1 }),
      Customer: ref("Customer", { order: 2 }),
      Lines: { ...list(ref("Line")), "x-dotnet": { order: 3 } },
      Total: scalar("decimal", { order: 4 }),
      PlacedAt: scalar("dateTime", { order: 5 }),
      Status: ref("Status", { order: 6 }),
      Note: scalar("string", { order: 7, omitDefault: true }),
      Priority: { type: ["null"], "x-dotnet": { type: "int", order: 8 } },
      Correlation: scalar("guid", { order: 9 }),
    },
  },
  Pair: { properties: { Left: ref("Line"), Right: ref("Line") } },
  Plain: { "x-dotnet": { type: "enum", members: { Zero: 0, One: 1, Two: 2 } } },
  PointS: { "x-dotnet": { struct: true }, properties: { X: scalar("int"), Y: scalar("int") } },
  Self: { properties: { Id: scalar("int"), Me: ref("Self") } },
  Status: {
    "x-dotnet": {
      type: "enum",
      name: "Estado",
      namespace: "urn:sobre:enums",
      clrName: "Sobre.Fixtures.Status",
      members: { "en curso": 2 },
      clrMembers: { Running: 2 },
    },
  },
  Tuple: {
    "x-dotnet": {
      name: "TupleOfintstringboolean",
      namespace: "http://schemas.datacontract.org/2004/07/System",
    },
    properties: { m_Item1: scalar("int"), m_Item2: scalar("string"), m_Item3: scalar("boolean") },
  },
  Wide: { properties: many("any", "O1", "O2", "O3", "O4", "O5", "O6", "O7", "O8", "O9") },
};

const scalars: Readonly<Record<string, string>> = {
  Boolean: "boolean",
  Byte: "byte",
  "Byte[]": "bytes",
  Char: "char",
  DateTime: "dateTime",
  Decimal: "decimal",
  Double: "double",
  Guid: "guid",
  Int16: "short",
  Int32: "int",
  Int64: "long",
  Object: "any",
  SByte: "sbyte",
  Single: "float",
  String: "string",
  TimeSpan: "timespan",
  UInt64: "ulong",
  Uri: "uri",
  Version: "version",
};

const classes: Readonly<Record<string, string>> = {
  "Gen`1[System.Int32]": "GenInt",
  "Gen`1[System.Collections.Generic.List`1[Sobre.Fixtures.Line]]": "GenLines",
};

/** The contract of a CLR type, or `undefined` for those that have none (XmlElement). */
export function contractOf(clrType: string): DotnetContract | undefined {
  const schema = schemaOf(clrType);
  return schema && { ...schema, "x-dotnet": rootHint(schema), $defs: types };
}

function rootHint(schema: Schema): Schema {
  const hint = schema["x-dotnet"];
  const own = typeof hint === "string" ? { type: hint } : typeof hint === "object" ? hint : {};
  return { ...own, defaultNamespace: namespace };
}

function schemaOf(clrType: string): Schema | undefined {
  const [, space = "", name = ""] = /^(System\.|Sobre\.Fixtures\.)(.*)$/.exec(clrType) ?? [];
  if (space === "Sobre.Fixtures.") return ref(classes[name] ?? name);
  if (name === "Collections.ArrayList") return list(scalar("any"));
  if (name.startsWith("Tuple`3")) return ref("Tuple");
  const itemType = /^(.*)\[\]$/.exec(name)?.[1];
  if (itemType !== undefined && name !== "Byte[]") {
    const schema = schemaOf(`System.${itemType}`);
    return schema && array(schema);
  }
  const [, generic, inner = ""] = /^Collections\.Generic\.(\w+)`\d\[(.*)\]$/.exec(name) ?? [];
  if (generic === undefined) return scalars[name] === undefined ? undefined : scalar(scalars[name]);
  if (generic === "KeyValuePair") return ref("KeyValue");
  const [first = "", second] = inner.split(",");
  if (second === undefined) return items(first);
  const value = schemaOf(second);
  return value && map(value);
}

function items(clrType: string): Schema | undefined {
  const schema = schemaOf(clrType);
  return schema && list(schema);
}
