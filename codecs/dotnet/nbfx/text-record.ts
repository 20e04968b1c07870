import type { XmlScalar, XmlScalarType } from "../xml/node.ts";
import type { NbfxCursor } from "./cursor.ts";
import type { NbfxDictionaries } from "./dictionaries.ts";
import { record } from "./records.ts";
import {
  readBool,
  readDateTime,
  readDecimal,
  readGuidText,
  readInt31,
  readTimeSpan,
  readUint16,
  readUuid,
} from "./text-value.ts";

/** The context of the reader of text records besides the bytes. */
export interface TextContext {
  readonly dictionaries: NbfxDictionaries;
  /** IANA zone of local times. */
  readonly timeZone: string | undefined;
}

/** Reads the value of a text record (MC-NBFX 2.2.3) whose type, an even number, has been read; lists are read elsewhere. */
export function readTextValue(cursor: NbfxCursor, type: number, context: TextContext): XmlScalar {
  switch (type) {
    case record.zeroText:
      return 0;
    case record.oneText:
      return 1;
    case record.falseText:
      return false;
    case record.trueText:
      return true;
    case record.int8Text:
      return (cursor.byte() << 24) >> 24;
    case record.chars8Text:
      return cursor.text(cursor.byte());
    case record.chars16Text:
      return cursor.text(readUint16(cursor));
    case record.chars32Text:
      return cursor.text(readInt31(cursor));
    case record.bytes8Text:
      return readBytes(cursor, cursor.byte());
    case record.bytes16Text:
      return readBytes(cursor, readUint16(cursor));
    case record.bytes32Text:
      return readBytes(cursor, readInt31(cursor));
    case record.unicodeChars8Text:
      return cursor.utf16(cursor.byte());
    case record.unicodeChars16Text:
      return cursor.utf16(readUint16(cursor));
    case record.unicodeChars32Text:
      return cursor.utf16(readInt31(cursor));
    case record.emptyText:
      return "";
    case record.dictionaryText:
      return context.dictionaries.lookup(cursor);
    case record.uniqueIdText:
      return `urn:uuid:${readGuidText(cursor)}`;
    case record.qNameDictionaryText:
      return readQName(cursor, context);
    default:
      return readFixed(cursor, type, context.timeZone);
  }
}

/** Reads a value of a fixed size, also in arrays. */
export function readFixed(cursor: NbfxCursor, type: number, timeZone: string | undefined): XmlScalar {
  switch (type) {
    case record.int16Text:
      return cursor.view.getInt16(cursor.take(2), true);
    case record.int32Text:
      return cursor.view.getInt32(cursor.take(4), true);
    case record.int64Text:
      return cursor.view.getBigInt64(cursor.take(8), true);
    case record.uInt64Text:
      return cursor.view.getBigUint64(cursor.take(8), true);
    case record.floatText:
      return cursor.view.getFloat32(cursor.take(4), true);
    case record.doubleText:
      return cursor.view.getFloat64(cursor.take(8), true);
    case record.decimalText:
      return readDecimal(cursor);
    case record.dateTimeText:
      return readDateTime(cursor, timeZone);
    case record.timeSpanText:
      return readTimeSpan(cursor);
    case record.uuidText:
      return readUuid(cursor);
    case record.boolText:
      return readBool(cursor);
    default:
      throw cursor.broken("has a byte that is not a record of MC-NBFX", cursor.at - 1);
  }
}

/** The CLR type that .NET's own reader reports, where the JavaScript type does not show it. */
export function scalarTypeOf(type: number): XmlScalarType | undefined {
  switch (type) {
    case record.floatText:
      return "Single";
    case record.doubleText:
      return "Double";
    case record.int64Text:
      return "Int64";
    case record.uInt64Text:
      return "UInt64";
    case record.uniqueIdText:
      return "UniqueId";
    default:
      return undefined;
  }
}

function readBytes(cursor: NbfxCursor, length: number): Uint8Array {
  const start = cursor.take(length);
  return cursor.bytes.subarray(start, start + length);
}

function readQName(cursor: NbfxCursor, { dictionaries }: TextContext): string {
  const start = cursor.at;
  const prefix = cursor.byte();
  if (prefix > 25) throw cursor.broken("has a qualified name with a prefix beyond z", start);
  return `${String.fromCharCode(0x61 + prefix)}:${dictionaries.lookup(cursor)}`;
}
