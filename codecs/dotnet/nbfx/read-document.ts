import { type DecodeLimits, limitExceeded } from "../../../src/core/codec/limits.ts";
import { NbfxCursor } from "./cursor.ts";
import { NbfxDictionaries, type NbfxDictionaryOptions, readStringTable } from "./dictionaries.ts";
import { soapStrings } from "./soap-strings.ts";
import { record } from "./records.ts";
import { readFixed, readTextValue, scalarTypeOf, type TextContext } from "./text-record.ts";
import { elementsPerLevel, NewNames } from "../xml/element-limits.ts";
import {
  XmlArray,
  XmlAttribute,
  XmlComment,
  type XmlDocument,
  XmlElement,
  type XmlScalar,
  XmlText,
} from "../xml/node.ts";
import { NamespaceScope } from "../xml/scope.ts";
import { Tags } from "../xml/tags.ts";

/** Options of {@link readNbfxDocument}. */
export interface NbfxReadOptions extends NbfxDictionaryOptions {
  /** Whether a string table precedes the document (MC-NBFSE). Default: true if a valid one is followed by the envelope of a SOAP message. */
  readonly stringTable?: boolean | undefined;
  /** Whether the document is declared as a WCF message, so that its names are in SOAP's dictionary. Default: false. */
  readonly soap?: boolean | undefined;
  /** IANA zone for local times, e.g. `Europe/Madrid`; they are written in UTC. Default: that of the process. */
  readonly timeZone?: string | undefined;
}

/**
 * Reads .NET binary XML (MC-NBFX) into its nodes, without loss and with byte offsets; not recursive.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload`, `TrailingBytes` or `LimitExceeded` with the offset.
 */
export function readNbfxDocument(
  payload: Uint8Array,
  limits: DecodeLimits,
  options: NbfxReadOptions = {},
): XmlDocument {
  if (payload.length > limits.maxBytes) throw limitExceeded("maxBytes", limits, { offset: limits.maxBytes });
  return new NbfxReader(payload, limits, options).document();
}

/** Whether a payload starts with a valid string table, followed by the start of a SOAP envelope as WCF writes it. */
export function beginsWithTable(payload: Uint8Array): boolean {
  let at = 0;
  let size = 0;
  for (let more = true; more; at++) {
    const byte = payload[at] ?? 0;
    if (at > 4) return false;
    size += (byte & 0x7f) * 2 ** (7 * at);
    more = byte >= 0x80;
  }
  // Nearly all payloads return here.
  if (!isEnvelope(payload, at + size)) return false;
  try {
    readStringTable(new NbfxCursor(payload));
    return true;
  } catch {
    return false;
  }
}

/** Whether `<s:Envelope` begins at an offset, with the prefix of WCF and the name of the static dictionary. */
export function isEnvelope(payload: Uint8Array, at: number): boolean {
  return payload[at] === record.prefixDictionaryElementA + 18 && payload[at + 1] === 2;
}

class NbfxReader {
  readonly #cursor: NbfxCursor;
  readonly #limits: DecodeLimits;
  readonly #context: TextContext;
  readonly #scope = new NamespaceScope();
  /** The marks at which the scopes of the open elements start. */
  readonly #marks: number[] = [];
  readonly #nodes: (XmlElement | XmlComment)[] = [];
  readonly #names = new NewNames();
  readonly #hasTable: boolean;
  readonly #tags = new Tags();
  #open: XmlElement | undefined;
  #items = 0;

  constructor(payload: Uint8Array, limits: DecodeLimits, options: NbfxReadOptions) {
    this.#cursor = new NbfxCursor(payload);
    this.#limits = limits;
    this.#hasTable = options.stringTable ?? beginsWithTable(payload);
    const isSoap = options.soap === true || this.#hasTable || isEnvelope(payload, 0);
    const { dictionary = isSoap ? soapStrings : undefined, session, timeZone } = options;
    this.#context = { dictionaries: new NbfxDictionaries({ dictionary, session }), timeZone };
  }

  document(): XmlDocument {
    const cursor = this.#cursor;
    if (this.#hasTable) {
      const strings = readStringTable(cursor);
      this.#count(strings.length, 0);
      this.#context.dictionaries.add(strings);
    }
    let root: XmlElement | undefined;
    while (!cursor.isAtEnd) {
      const start = cursor.at;
      const type = cursor.byte();
      if (type === record.comment) {
        this.#nodes.push(this.#comment(start));
        continue;
      }
      if (root !== undefined) throw this.#trailing(start, type);
      if (type < record.shortElement || type > record.prefixElementZ) {
        throw cursor.broken("does not begin with an element", start);
      }
      root = this.#startElement(type, start);
      this.#nodes.push(root);
      while (this.#open !== undefined) this.#content(this.#open);
    }
    if (root === undefined) throw cursor.truncated();
    return { root, nodes: this.#nodes };
  }

  #trailing(offset: number, type: number): Error {
    if (type >= record.shortElement && type <= record.prefixElementZ) {
      return this.#cursor.broken("holds a second document, which is not supported", offset);
    }
    return this.#cursor.trailing(offset);
  }

  /** Reads one record inside an element. */
  #content(element: XmlElement): void {
    const cursor = this.#cursor;
    const start = cursor.at;
    const type = cursor.byte();
    if (type >= record.zeroText) this.#text(element, type, start);
    else if (type >= record.shortElement && type <= record.prefixElementZ) {
      element.add(this.#startElement(type, start));
    } else if (type === record.endElement) this.#endElement();
    else if (type === record.array) this.#array(element, start);
    else if (type === record.comment) element.add(this.#comment(start));
    else throw cursor.broken("has a record of a kind that is not allowed there", start);
  }

  #startElement(type: number, start: number): XmlElement {
    const element = this.#element(type, start);
    this.#open = element;
    return element;
  }

  /** Reads an element record and its attributes. */
  #element(type: number, start: number): XmlElement {
    this.#count(1, start);
    if (this.#marks.length >= this.#limits.maxDepth * elementsPerLevel) {
      throw limitExceeded("maxDepth", this.#limits, { offset: start });
    }
    const cursor = this.#cursor;
    let prefix = "";
    let local: string;
    if (type >= record.prefixElementA) {
      prefix = letter(type - record.prefixElementA);
      local = cursor.name();
    } else if (type >= record.prefixDictionaryElementA) {
      prefix = letter(type - record.prefixDictionaryElementA);
      local = this.#dictionaryName();
    } else {
      if (type === record.element || type === record.dictionaryElement) prefix = cursor.name();
      local = type < record.shortDictionaryElement ? cursor.name() : this.#dictionaryName();
    }
    if (local === "") throw cursor.broken("has an element without a name", start);
    this.#weigh(local, start);
    const element = new XmlElement(this.#tags.of(prefix, local), this.#open, start);
    this.#marks.push(this.#scope.mark);
    let last: XmlAttribute | undefined;
    for (
      let next = cursor.bytes[cursor.at] ?? 0;
      next >= record.shortAttribute && next < record.shortElement;
      next = cursor.bytes[cursor.at] ?? 0
    ) {
      const attribute = this.#attribute();
      if (last === undefined) element.firstAttribute = attribute;
      else last.next = attribute;
      last = attribute;
    }
    this.#scope.enter(element);
    return element;
  }

  #endElement(): void {
    this.#scope.leave(this.#marks.pop() ?? 0);
    this.#open = this.#open?.parent;
  }

  #attribute(): XmlAttribute {
    const cursor = this.#cursor;
    const start = cursor.at;
    this.#count(1, start);
    const type = cursor.byte();
    if (type >= record.prefixAttributeA) {
      return this.#named(letter(type - record.prefixAttributeA), cursor.name(), start);
    }
    if (type >= record.prefixDictionaryAttributeA) {
      return this.#named(letter(type - record.prefixDictionaryAttributeA), this.#dictionaryName(), start);
    }
    switch (type) {
      case record.shortAttribute:
        return this.#named("", cursor.name(), start);
      case record.attribute:
        return this.#named(cursor.name(), cursor.name(), start);
      case record.shortDictionaryAttribute:
        return this.#named("", this.#dictionaryName(), start);
      case record.dictionaryAttribute:
        return this.#named(cursor.name(), this.#dictionaryName(), start);
      case record.shortXmlns:
        return new XmlAttribute("", "xmlns", cursor.name(), start);
      case record.xmlns:
        return new XmlAttribute("xmlns", cursor.name(), cursor.name(), start);
      case record.shortDictionaryXmlns:
        return new XmlAttribute("", "xmlns", this.#dictionaryName(), start);
      default:
        return new XmlAttribute("xmlns", cursor.name(), this.#dictionaryName(), start);
    }
  }

  #named(prefix: string, local: string, start: number): XmlAttribute {
    const cursor = this.#cursor;
    if (local === "" || prefix === "xmlns" || (prefix === "" && local === "xmlns")) {
      throw cursor.broken("has an attribute without a name of its own", start);
    }
    this.#weigh(local, start);
    const at = cursor.at;
    const type = cursor.byte();
    if (type < record.zeroText || type % 2 === 1) throw cursor.broken("has an attribute without a value", at);
    return new XmlAttribute(prefix, local, this.#value(type, at), start);
  }

  #text(element: XmlElement, type: number, start: number): void {
    this.#count(element.endsInText ? textBesideText : 1, start);
    const even = type & 0xfe;
    // The end records of a list have their own "with end" forms.
    const list = even === record.startListText ? this.#listValue(start) : undefined;
    const value = list?.values ?? this.#textValue(even, start);
    element.add(new XmlText(value, scalarTypeOf(even), start));
    if (list === undefined ? type !== even : list.ends) this.#endElement();
    else if (list !== undefined && type !== even) throw this.#cursor.broken("has a list that ends its element", start);
  }

  #value(type: number, start: number): XmlScalar | readonly XmlScalar[] {
    if (type !== record.startListText) return this.#textValue(type, start);
    const { values, ends } = this.#listValue(start);
    if (ends) throw this.#cursor.broken("has an attribute that ends its element", start);
    return values;
  }

  #listValue(start: number): { readonly values: readonly XmlScalar[]; readonly ends: boolean } {
    const values: XmlScalar[] = [];
    for (;;) {
      const at = this.#cursor.at;
      const type = this.#cursor.byte();
      if ((type & 0xfe) === record.endListText) return { values, ends: type !== record.endListText };
      if (type < record.zeroText || type % 2 === 1 || type === record.startListText) {
        throw this.#cursor.broken("has a list with content other than text", start);
      }
      this.#count(1, at);
      values.push(this.#textValue(type, at));
    }
  }

  /** An array: an element without contents, then a type, a count, and that many values. */
  #array(element: XmlElement, start: number): void {
    const cursor = this.#cursor;
    const at = cursor.at;
    const elementType = cursor.byte();
    if (elementType < record.shortElement || elementType > record.prefixElementZ) {
      throw cursor.broken("has an array without an element", at);
    }
    const item = this.#element(elementType, at);
    this.#scope.leave(this.#marks.pop() ?? 0);
    if (cursor.byte() !== record.endElement) throw cursor.broken("has an array whose element has contents", at);
    const typeAt = cursor.at;
    const type = cursor.byte();
    const width = arrayWidths.get(type);
    if (width === undefined) throw cursor.broken("has an array of a type that arrays do not have", typeAt);
    const count = cursor.multiByteInt31();
    if (count * width > cursor.bytes.length - cursor.at) throw cursor.truncated();
    this.#count(count, typeAt);
    const values: XmlScalar[] = [];
    const even = type & 0xfe;
    for (let index = 0; index < count; index++) values.push(readFixed(cursor, even, this.#context.timeZone));
    element.add(new XmlArray(item, values, scalarTypeOf(even), start));
  }

  #comment(start: number): XmlComment {
    this.#count(1, start);
    const length = this.#cursor.multiByteInt31();
    return new XmlComment(this.#cursor.text(length), start);
  }

  #dictionaryName(): string {
    const start = this.#cursor.at;
    const name = this.#context.dictionaries.lookup(this.#cursor);
    this.#weighString(name, start);
    return name;
  }

  /** Charges for a string by its length: a long string of a session takes only two bytes per use. */
  #weighString(text: string, offset: number): void {
    if (text.length >= 64) this.#count(text.length >> 6, offset);
  }

  #textValue(type: number, start: number): XmlScalar {
    const value = readTextValue(this.#cursor, type, this.#context);
    if (type === record.dictionaryText && typeof value === "string") this.#weighString(value, start);
    return value;
  }

  #weigh(name: string, offset: number): void {
    const weight = this.#names.weight(name, this.#items);
    if (weight > 0) this.#count(weight, offset);
  }

  #count(items: number, offset: number): void {
    this.#items += items;
    if (this.#items > this.#limits.maxItems * elementsPerLevel) {
      throw limitExceeded("maxItems", this.#limits, { offset });
    }
  }
}

/** Each further adjacent text counts as this many items: writers split text only every few hundred bytes, and a text can take a single byte. */
const textBesideText = 16;

/** MC-NBFX 2.2.3.31: the types of arrays, as records with end element, and the bytes per value. */
const arrayWidths: ReadonlyMap<number, number> = new Map([
  [record.boolText + 1, 1],
  [record.int16Text + 1, 2],
  [record.int32Text + 1, 4],
  [record.int64Text + 1, 8],
  [record.floatText + 1, 4],
  [record.doubleText + 1, 8],
  [record.decimalText + 1, 16],
  [record.dateTimeText + 1, 8],
  [record.timeSpanText + 1, 8],
  [record.uuidText + 1, 16],
]);

function letter(index: number): string {
  return String.fromCharCode(0x61 + index);
}
