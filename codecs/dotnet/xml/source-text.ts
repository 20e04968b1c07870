import {
  type Charset,
  charsetNamed,
  decodeText,
  markedCharset,
  unknownCharset,
} from "../../../src/core/content-type/charset.ts";
import type { ContentType } from "../../../src/core/content-type/content-type.ts";
import { parameter } from "../../../src/core/content-type/parameter.ts";
import { SobreError } from "../../../src/core/errors/sobre-error.ts";

/** A decoded document, and its bytes. */
export interface SourceText {
  readonly text: string;
  readonly charset: Charset;
  /** Bytes of the byte-order mark. */
  readonly mark: number;
}

const declaration = /^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/;
/** Number of bytes within which an XML declaration must end. */
const declarationLength = 256;

/**
 * Decodes XML: by its byte-order mark, by the zero bytes of UTF-16, by the charset of the content type, by the encoding
 * that it declares, or else as UTF-8 (RFC 7303 section 3).
 *
 * A wrong declaration of UTF-16 is read as UTF-8: .NET writes that declaration into every string.
 *
 * @throws SobreError `UnknownCharset`, or `DecodeFailed` for bytes that are not in the charset.
 */
export function sourceText(payload: Uint8Array, contentType: ContentType | undefined): SourceText {
  return decoded(payload, () => zeroBytes(payload) ?? named(payload, contentType));
}

/** Decodes by the byte-order mark, otherwise by the charset that `choose` returns, otherwise as UTF-8. */
export function decoded(payload: Uint8Array, choose: () => Charset | undefined): SourceText {
  try {
    const marked = markedCharset(payload);
    const charset = marked ?? choose() ?? "utf-8";
    const mark = marked === undefined ? 0 : marked === "utf-8" ? 3 : 2;
    return { text: decodeText(payload, charset), charset, mark };
  } catch (error) {
    // The charset is named at the start.
    if (!(error instanceof SobreError) || error.offset !== undefined) throw error;
    throw new SobreError(error.code, error.message, { offset: 0 });
  }
}

function zeroBytes(payload: Uint8Array): Charset | undefined {
  if (payload[0] === 0x3c && payload[1] === 0) return "utf-16le";
  return payload[0] === 0 && payload[1] === 0x3c ? "utf-16be" : undefined;
}

function named(payload: Uint8Array, contentType: ContentType | undefined): Charset | undefined {
  const { buffer, byteOffset, length } = payload;
  const start = Buffer.from(buffer, byteOffset, Math.min(length, declarationLength)).toString("latin1");
  const label = (contentType && parameter(contentType, "charset")) ?? declaration.exec(start)?.[1];
  if (label === undefined) return undefined;
  const charset = charsetNamed(label);
  if (charset === undefined) throw unknownCharset("The encoding that the XML declares");
  return charset.startsWith("utf-16") ? "utf-8" : charset;
}

/** Byte offsets of text indexes, which must be requested in ascending order. */
export class ByteOffsets {
  readonly #source: SourceText;
  readonly #narrow: boolean;
  #index = 0;
  #byte: number;

  constructor(source: SourceText, byteLength: number) {
    this.#source = source;
    this.#byte = source.mark;
    // One byte per unit, so there is nothing to count.
    this.#narrow = source.text.length === byteLength - source.mark;
  }

  /** The byte at which the character at `index` starts. */
  at(index: number): number {
    const { text, charset, mark } = this.#source;
    if (this.#narrow) return mark + index;
    if (charset.startsWith("utf-16")) return mark + 2 * index;
    for (; this.#index < index; this.#index++) {
      const unit = text.charCodeAt(this.#index);
      // Each half of a surrogate pair counts for two of its four bytes.
      this.#byte += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
    }
    return this.#byte;
  }
}

/** XML 1.0 section 2.2: characters that a document must not contain. */
// oxlint-disable-next-line no-control-regex -- control characters are the point
export const forbidden: RegExp = /[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/;

const entities: ReadonlyMap<string, string> = new Map([
  ["lt;", "<"],
  ["gt;", ">"],
  ["amp;", "&"],
  ["quot;", '"'],
  ["apos;", "'"],
]);

/** The character of a reference, given without its `&`; or `undefined` for an invalid reference. */
export function referred(reference: string): string | undefined {
  const entity = entities.get(reference);
  if (entity !== undefined) return entity;
  const [, hex, decimal] = /^#(?:x([0-9A-Fa-f]{1,8})|(\d{1,8}));$/.exec(reference) ?? [];
  if (hex === undefined && decimal === undefined) return undefined;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  // .NET's own reader accepts every character that its writer escapes in hexadecimal: the separators of GS1 barcodes, and U+0000,
  // U+FFFE and U+FFFF, which XML lacks.
  return hex === undefined && (code === 0 || code === 0xfffe || code === 0xffff)
    ? undefined
    : String.fromCodePoint(code);
}
