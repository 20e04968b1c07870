import { toBase64 } from "../../../src/core/values/base64.ts";
import { doubleText, lexical } from "../../../codecs/dotnet/xml/lexical.ts";
import {
  XmlArray,
  XmlAttribute,
  type XmlDocument,
  XmlElement,
  type XmlNode,
  type XmlScalar,
} from "../../../codecs/dotnet/xml/node.ts";

/** A node as Microsoft's own reader reports it; see CONVENTIONS.md of the fixtures. */
export type InfosetNode =
  | { readonly comment: string }
  | { readonly t: string; readonly v: string }
  | {
      readonly e: string;
      readonly ns: string;
      readonly p: string;
      readonly a?: readonly { readonly n: string; readonly ns: string; readonly p: string; readonly v: string }[];
      readonly c?: readonly InfosetNode[];
    };

/** Our reading, in the form of the oracle. */
export function infosetOf({ nodes }: XmlDocument): readonly InfosetNode[] {
  return nodes.flatMap((node) => shown(node));
}

function shown(node: XmlNode): readonly InfosetNode[] {
  if (node.kind === "comment") return [{ comment: node.text }];
  if (node.kind === "text") return [text(node.value, node.type)];
  if (node instanceof XmlArray) return node.values.map((value) => element(node.item, [text(value, node.type)]));
  const inner = node.children.flatMap((child) => shown(child));
  // The oracle shows the type of a number only where it is the whole text of its element.
  const typed = inner.length === 1;
  return [
    element(
      node,
      inner.map((child) => (typed || !("t" in child) || child.t !== "Int32" ? child : { ...child, t: "String" })),
    ),
  ];
}

function element({ local, namespace, prefix, attributes }: XmlElement, c: readonly InfosetNode[]): InfosetNode {
  // The oracle lists declarations behind the others.
  const a = attributes.map(attribute);
  const ordinary = a.filter(({ ns }) => ns !== xmlns);
  const declared = a.filter(({ ns }) => ns === xmlns);
  return {
    e: local,
    ns: namespace,
    p: prefix,
    ...(a.length === 0 ? {} : { a: [...ordinary, ...declared] }),
    ...(c.length === 0 ? {} : { c }),
  };
}

const xmlns = "http://www.w3.org/2000/xmlns/";

function attribute({ local, namespace, prefix, value }: XmlAttribute): {
  readonly n: string;
  readonly ns: string;
  readonly p: string;
  readonly v: string;
} {
  return { n: local, ns: namespace, p: prefix, v: lexical(value, undefined) };
}

function text(value: XmlScalar | readonly XmlScalar[], type: string | undefined): InfosetNode {
  if (typeof value === "string") return { t: type === "UniqueId" ? "UniqueId" : "String", v: value };
  if (typeof value === "number")
    return { t: type ?? "Int32", v: type === undefined ? `${value}` : number(value, type) };
  if (typeof value === "boolean") return { t: "Boolean", v: `${value}` };
  if (typeof value === "bigint") return { t: type ?? "Int64", v: `${value}` };
  if (value instanceof Uint8Array) return { t: "Byte[]", v: toBase64(value) };
  const names: Readonly<Record<string, string>> = { Duration: "TimeSpan", Typed: "Guid" };
  return { t: names[value.constructor.name] ?? value.constructor.name, v: lexical(value, undefined) };
}

function number(value: number, type: string): string {
  return type === "Single" ? lexical(value, "Single") : doubleText(value);
}
