import { SobreError } from "../../core/errors/sobre-error.ts";
import { escapeMarkup } from "../../core/values/markup.ts";

/** An element of a small XML document; prefixes are left off its name and its attributes' names. */
export interface HttpXmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly HttpXmlElement[];
  /** All text directly within it. */
  readonly text: string;
}

interface XmlElementDraft {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElementDraft[];
  text: string;
}

const maxDepth = 32;
const token =
  /<\?[^>]*\?>|<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([\w.:-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/gy;
const attribute = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/**
 * Reads the elements of an XML document as Atom clients send it; declarations of types and entities are refused.
 *
 * The reader of payloads, codecs/dotnet/xml/read-xml.ts, keeps namespaces, byte offsets and limits, at several times the code.
 *
 * @throws SobreError `InvalidArgument`.
 */
export function readXml(text: string): HttpXmlElement {
  const root: XmlElementDraft = { name: "", attributes: new Map(), children: [], text: "" };
  const open: XmlElementDraft[] = [root];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const found = token.exec(text);
    if (found === null) throw invalidBody("is no well-formed XML");
    read(found, open);
  }
  const [document] = root.children;
  if (open.length !== 1 || document === undefined || root.children.length > 1)
    throw invalidBody("does not end where it must");
  return document;
}

function read(
  [, cdata, slash, name, attributes = "", closed, characters]: RegExpExecArray,
  open: XmlElementDraft[],
): void {
  const parent = open.at(-1);
  if (parent === undefined) throw invalidBody("has an end without a beginning");
  if (cdata !== undefined) parent.text += cdata;
  if (characters !== undefined) parent.text += unescaped(characters);
  if (name === undefined) return;
  if (slash === "/") {
    if (open.length === 1 || parent.name !== local(name)) throw invalidBody("has an end without a beginning");
    open.pop();
    return;
  }
  if (open.length > maxDepth) throw invalidBody(`is nested more than ${maxDepth} deep`);
  const element: XmlElementDraft = { name: local(name), attributes: attributesOf(attributes), children: [], text: "" };
  parent.children.push(element);
  if (closed !== "/") open.push(element);
}

const attributesOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    Array.from(text.matchAll(attribute), ([, name = "", double, single = ""]): [string, string] => [
      local(name),
      unescaped(double ?? single),
    ]),
  );

const local = (name: string): string => name.slice(name.indexOf(":") + 1);

const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({ lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" }),
);

function unescaped(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return entities.get(name) ?? whole;
    const point = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** The child of that name. */
export const child = (element: HttpXmlElement | undefined, name: string): HttpXmlElement | undefined =>
  element?.children.find((one) => one.name === name);

/** Text as written in an element or attribute; characters that XML cannot hold become the replacement character. */
export const escaped = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are what XML 1.0 forbids
  escapeMarkup(text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd"));

const invalidBody = (what: string): SobreError => new SobreError("InvalidArgument", `The body ${what}.`);
