import { arrays, serialization, system, xsd } from "../xml/namespaces.ts";
import type { XmlName } from "../xml/node.ts";

/** The scalars of .NET that contracts name, by their C# keyword or in lower case. */
export const scalarKinds = [
  "any",
  "boolean",
  "byte",
  "bytes",
  "char",
  "dateTime",
  "dateTimeOffset",
  "decimal",
  "double",
  "float",
  "guid",
  "int",
  "long",
  "qname",
  "sbyte",
  "short",
  "string",
  "timespan",
  "uint",
  "ulong",
  "uri",
  "ushort",
  "version",
] as const;

/** A scalar of .NET; `any` is System.Object, whose values name their type on the wire. */
export type ScalarKind = (typeof scalarKinds)[number];

interface ScalarRow {
  readonly kind: ScalarKind;
  /** Name in XML Schema or in .NET's own schema of scalars. */
  readonly xml: string;
  /** Namespace in which `i:type` names it. */
  readonly namespace: string;
  readonly clr: string;
}

const row = (kind: ScalarKind, xml: string, clr: string, namespace: string = xsd): ScalarRow => ({
  kind,
  xml,
  namespace,
  clr: `System.${clr}`,
});

const rows: readonly ScalarRow[] = [
  row("any", "anyType", "Object"),
  row("boolean", "boolean", "Boolean"),
  row("byte", "unsignedByte", "Byte"),
  row("bytes", "base64Binary", "Byte[]"),
  row("char", "char", "Char", serialization),
  row("dateTime", "dateTime", "DateTime"),
  row("decimal", "decimal", "Decimal"),
  row("double", "double", "Double"),
  row("float", "float", "Single"),
  row("guid", "guid", "Guid", serialization),
  row("int", "int", "Int32"),
  row("long", "long", "Int64"),
  row("qname", "QName", "Xml.XmlQualifiedName"),
  row("sbyte", "byte", "SByte"),
  row("short", "short", "Int16"),
  row("string", "string", "String"),
  row("timespan", "duration", "TimeSpan", serialization),
  row("uint", "unsignedInt", "UInt32"),
  row("ulong", "unsignedLong", "UInt64"),
  row("uri", "anyURI", "Uri"),
  row("ushort", "unsignedShort", "UInt16"),
];

const byXml: ReadonlyMap<string, ScalarRow> = new Map(rows.map((entry) => [entry.xml, entry]));
const byClr: ReadonlyMap<string, ScalarKind> = new Map(rows.map(({ clr, kind }) => [clr, kind]));
const byKind: ReadonlyMap<ScalarKind, ScalarRow> = new Map(rows.map((entry) => [entry.kind, entry]));

/** The namespace in which XmlSerializer puts the scalars that XML Schema lacks. */
const wsdlTypes = "http://microsoft.com/wsdl/types/";
// The items of a list of Nullable<T> are in the namespace of System.
const scalarNamespaces: ReadonlySet<string> = new Set([xsd, serialization, arrays, system, wsdlTypes]);

/** The scalar named by an `xsi:type`, a root or an array item, or `undefined`. */
export function scalarNamed({ namespace, local }: XmlName): ScalarKind | undefined {
  return scalarNamespaces.has(namespace) ? byXml.get(local)?.kind : undefined;
}

/** The scalar of a local name in any namespace, as in `ArrayOfguid`. */
export function scalarOfLocal(local: string): ScalarKind | undefined {
  return byXml.get(local)?.kind;
}

/** The scalar of a CLR type name, e.g. `System.Guid`, or `undefined`. */
export function scalarOfClr(name: string): ScalarKind | undefined {
  return byClr.get(name);
}

/** The name by which `xsi:type` and arrays know a scalar; `undefined` for those that are classes on the wire. */
export function xmlNameOf(kind: ScalarKind): XmlName | undefined {
  const entry = byKind.get(kind);
  return entry && { namespace: entry.namespace, local: entry.xml };
}

/** The local names of scalars, longest first, for names composed of several. */
export const scalarLocals: readonly string[] = [...byXml.keys()].toSorted((a, b) => b.length - a.length);

/** XmlSerializer writes structs without public members as empty elements. */
export const lostToXmlSerializer: ReadonlySet<string> = new Set(["timespan", "version", "dateTimeOffset"]);

/** Whether a scalar is a floating-point number. */
export function isFloating(kind: ScalarKind): boolean {
  return kind === "double" || kind === "float";
}
