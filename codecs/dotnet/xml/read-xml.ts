import { type DecodeLimits, limitExceeded } from "../../../src/core/codec/limits.ts";
import type { ContentType } from "../../../src/core/content-type/content-type.ts";
import type { ErrorCode } from "../../../src/core/errors/codes.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";
import { elementsPerLevel, NewNames } from "./element-limits.ts";
import { XmlAttribute, XmlComment, type XmlDocument, XmlElement, XmlText } from "./node.ts";
import { NamespaceScope } from "./scope.ts";
import { ByteOffsets, forbidden, referred, sourceText } from "./source-text.ts";
import { Tags } from "./tags.ts";

// Namespaces in XML 1.0 section 4; the letters beyond ASCII somewhat widely.
const nameForm = /[A-Za-z_\u{c0}-\u{effff}][-\w.\u{b7}\u{c0}-\u{effff}]*/uy;

/**
 * Reads a text XML document (XML 1.0 with namespaces) into its nodes, with byte offsets; not recursive.
 *
 * DOCTYPE and entities other than XML's five are refused, so nothing expands and nothing is fetched.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload`, `TrailingBytes`, `UnknownCharset` or `LimitExceeded`.
 */
export function readXml(payload: Uint8Array, limits: DecodeLimits, contentType?: ContentType): XmlDocument {
  if (payload.length > limits.maxBytes) throw limitExceeded("maxBytes", limits, { offset: limits.maxBytes });
  return new XmlReader(payload, limits, contentType).document();
}

class XmlReader {
  readonly #text: string;
  readonly #offsets: ByteOffsets;
  readonly #limits: DecodeLimits;
  readonly #scope = new NamespaceScope();
  readonly #marks: number[] = [];
  readonly #nodes: (XmlElement | XmlComment)[] = [];
  /** The names seen in this document. */
  readonly #names = new NewNames();
  readonly #tags = new Tags();
  #open: XmlElement | undefined;
  #root: XmlElement | undefined;
  #at = 0;
  #items = 0;

  constructor(payload: Uint8Array, limits: DecodeLimits, contentType: ContentType | undefined) {
    const source = sourceText(payload, contentType);
    this.#text = source.text;
    this.#offsets = new ByteOffsets(source, payload.length);
    this.#limits = limits;
    const control = forbidden.exec(source.text);
    if (control !== null) throw this.#broken("has a character that XML forbids", control.index);
  }

  document(): XmlDocument {
    const text = this.#text;
    if (/^<\?xml[\t\n\r ]/.test(text)) this.#at = this.#end("?>", 5);
    while (this.#at < text.length) {
      if (text.charCodeAt(this.#at) !== 0x3c) this.#characters();
      else this.#markup();
    }
    if (this.#open !== undefined || this.#root === undefined) throw this.#truncated();
    return { root: this.#root, nodes: this.#nodes };
  }

  #markup(): void {
    const text = this.#text;
    const start = this.#at;
    switch (text.charAt(start + 1)) {
      case "/":
        return this.#endTag();
      case "?":
        if (/^<\?xml[\t\n\r ?]/i.test(text.slice(start, start + 6))) {
          throw this.#broken("has a declaration that is not at its start", start);
        }
        this.#at = this.#end("?>", start + 2);
        return;
      case "!":
        if (text.startsWith("<!--", start)) return this.#comment();
        if (text.startsWith("<![CDATA[", start)) return this.#characters();
        throw this.#broken("has a DOCTYPE or another declaration, which is not supported", start);
      default:
        return this.#startTag();
    }
  }

  #startTag(): void {
    const start = this.#at++;
    if (this.#root !== undefined && this.#open === undefined) throw this.#trailing(start);
    if (this.#marks.length >= this.#limits.maxDepth * elementsPerLevel) {
      throw limitExceeded("maxDepth", this.#limits, { offset: this.#offsets.at(start) });
    }
    const offset = this.#count(start);
    const element = this.#element(offset);
    let last: XmlAttribute | undefined;
    for (;;) {
      const before = this.#at;
      this.#skipBlanks();
      const unit = this.#text.charCodeAt(this.#at);
      if (unit === 0x3e || unit === 0x2f) break;
      if (before === this.#at) throw this.#unexpected();
      const attribute = this.#attribute();
      if (last === undefined) element.firstAttribute = attribute;
      else last.next = attribute;
      last = attribute;
    }
    this.#marks.push(this.#scope.mark);
    this.#scope.enter(element);
    if (this.#open === undefined) {
      this.#root = element;
      this.#nodes.push(element);
    } else this.#open.add(element);
    this.#open = element;
    if (this.#text.startsWith("/>", this.#at)) this.#close(this.#at + 2);
    else if (this.#text.charCodeAt(this.#at) === 0x3e) this.#at++;
    else throw this.#unexpected();
  }

  #element(offset: number): XmlElement {
    const first = this.#name();
    if (this.#text.charCodeAt(this.#at) !== 0x3a) return new XmlElement(this.#tags.of("", first), this.#open, offset);
    this.#at++;
    return new XmlElement(this.#tags.of(first, this.#name()), this.#open, offset);
  }

  #endTag(): void {
    const start = this.#at;
    const open = this.#open;
    if (open?.prefix === "" && this.#text.startsWith(open.local, start + 2)) {
      // Nearly all end so.
      const end = start + 2 + open.local.length;
      if (this.#text.charCodeAt(end) === 0x3e) return this.#close(end + 1);
    }
    this.#at += 2;
    const [prefix, local] = this.#qualifiedName();
    if (this.#open === undefined || this.#open.local !== local || this.#open.prefix !== prefix) {
      throw this.#broken("ends an element that is not open", start);
    }
    this.#skipBlanks();
    if (this.#text.charCodeAt(this.#at) !== 0x3e) throw this.#unexpected();
    this.#close(this.#at + 1);
  }

  #close(next: number): void {
    this.#at = next;
    this.#scope.leave(this.#marks.pop() ?? 0);
    this.#open = this.#open?.parent;
  }

  #attribute(): XmlAttribute {
    const offset = this.#count(this.#at);
    const [prefix, local] = this.#qualifiedName();
    this.#skipBlanks();
    if (this.#text.charCodeAt(this.#at) !== 0x3d) throw this.#unexpected();
    this.#at++;
    this.#skipBlanks();
    const quote = this.#text.charAt(this.#at);
    if (quote !== '"' && quote !== "'") throw this.#unexpected();
    const start = this.#at + 1;
    const end = this.#text.indexOf(quote, start);
    if (end === -1) throw this.#truncated();
    const raw = this.#text.slice(start, end);
    if (raw.includes("<")) throw this.#broken("has a < in an attribute", start + raw.indexOf("<"));
    this.#at = end + 1;
    // XML 1.0 section 3.3.3: blanks in an attribute are spaces, unless they are references.
    const line = /[\t\n\r]/.test(raw) ? raw.replaceAll(/\r\n|[\t\n\r]/g, " ") : raw;
    return new XmlAttribute(prefix, local, this.#expanded(line, start), offset);
  }

  /** Text and CDATA sections up to the next other markup. */
  #characters(): void {
    const text = this.#text;
    const start = this.#at;
    let value = "";
    while (this.#at < text.length) {
      if (text.startsWith("<![CDATA[", this.#at)) {
        const end = this.#end("]]>", this.#at + 9);
        value += lines(text.slice(this.#at + 9, end - 3));
        this.#at = end;
        continue;
      }
      const next = text.indexOf("<", this.#at);
      const end = next === -1 ? text.length : next;
      if (end === this.#at) break;
      const raw = text.slice(this.#at, end);
      if (raw.includes("]]>")) throw this.#broken("has ]]> in text", this.#at + raw.indexOf("]]>"));
      value += this.#expanded(lines(raw), this.#at);
      this.#at = end;
    }
    if (this.#open !== undefined) this.#open.add(new XmlText(value, undefined, this.#count(start)));
    else if (/[^\t\n\r ]/.test(text.slice(start, this.#at))) {
      throw this.#root === undefined ? this.#broken("does not begin with an element", start) : this.#trailing(start);
    }
  }

  #comment(): void {
    const start = this.#at;
    const end = this.#end("-->", start + 4);
    const text = this.#text.slice(start + 4, end - 3);
    if (text.includes("--") || text.endsWith("-")) throw this.#broken("has -- in a comment", start);
    const comment = new XmlComment(lines(text), this.#count(start));
    if (this.#open === undefined) this.#nodes.push(comment);
    else this.#open.add(comment);
    this.#at = end;
  }

  /** Replaces references; `start` is the offset of the text. */
  #expanded(text: string, start: number): string {
    if (!text.includes("&")) return text;
    return text.replaceAll(/&([^;&]{0,12};?)/g, (_whole, reference: string, index: number) => {
      const character = referred(reference);
      if (character === undefined) {
        const what = "has a reference other than &lt; &gt; &amp; &quot; &apos; and characters";
        throw this.#broken(what, start + index);
      }
      return character;
    });
  }

  #qualifiedName(): readonly [string, string] {
    const first = this.#name();
    if (this.#text.charCodeAt(this.#at) !== 0x3a) return ["", first];
    this.#at++;
    return [first, this.#name()];
  }

  #name(): string {
    // A test makes no list of matches.
    const start = this.#at;
    nameForm.lastIndex = start;
    if (!nameForm.test(this.#text)) throw this.#unexpected();
    this.#at = nameForm.lastIndex;
    const name = this.#text.slice(start, this.#at);
    const weight = this.#names.weight(name, this.#items);
    if (weight > 0) this.#count(start, weight);
    return name;
  }

  #skipBlanks(): void {
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
      this.#at++;
    }
  }

  /** The index after the next `mark`. */
  #end(mark: string, from: number): number {
    const index = this.#text.indexOf(mark, from);
    if (index === -1) throw this.#truncated();
    return index + mark.length;
  }

  /** Counts items, and returns the byte offset at which they start. */
  #count(start: number, items: number = 1): number {
    const offset = this.#offsets.at(start);
    this.#items += items;
    if (this.#items > this.#limits.maxItems * elementsPerLevel) {
      throw limitExceeded("maxItems", this.#limits, { offset });
    }
    return offset;
  }

  #unexpected(): SobreError {
    return this.#at >= this.#text.length ? this.#truncated() : this.#broken("breaks the grammar of XML", this.#at);
  }

  #broken(what: string, index: number): SobreError {
    return this.#error("DecodeFailed", what, index);
  }

  #trailing(index: number): SobreError {
    return this.#error("TrailingBytes", "continues after its root element", index);
  }

  #truncated(): SobreError {
    return this.#error("TruncatedPayload", "ends before its root element does", this.#text.length);
  }

  #error(code: ErrorCode, what: string, index: number): SobreError {
    const offset = this.#offsets.at(index);
    return new SobreError(code, `The XML ${what}, at byte ${offset}.`, { offset });
  }
}

/** XML 1.0 section 2.11. */
function lines(text: string): string {
  return text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
}
