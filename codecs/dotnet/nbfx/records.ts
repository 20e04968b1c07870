/** Record types of MC-NBFX 2.1, by the names of the specification; a text record plus one also ends the element. */
export const record = {
  endElement: 0x01,
  comment: 0x02,
  array: 0x03,
  shortAttribute: 0x04,
  attribute: 0x05,
  shortDictionaryAttribute: 0x06,
  dictionaryAttribute: 0x07,
  shortXmlns: 0x08,
  xmlns: 0x09,
  shortDictionaryXmlns: 0x0a,
  dictionaryXmlns: 0x0b,
  /** 26 records, one for each prefix from a to z; the next three too. */
  prefixDictionaryAttributeA: 0x0c,
  prefixAttributeA: 0x26,
  shortElement: 0x40,
  element: 0x41,
  shortDictionaryElement: 0x42,
  dictionaryElement: 0x43,
  prefixDictionaryElementA: 0x44,
  prefixElementA: 0x5e,
  /** The last element record. */
  prefixElementZ: 0x77,
  zeroText: 0x80,
  oneText: 0x82,
  falseText: 0x84,
  trueText: 0x86,
  int8Text: 0x88,
  int16Text: 0x8a,
  int32Text: 0x8c,
  int64Text: 0x8e,
  floatText: 0x90,
  doubleText: 0x92,
  decimalText: 0x94,
  dateTimeText: 0x96,
  chars8Text: 0x98,
  chars16Text: 0x9a,
  chars32Text: 0x9c,
  bytes8Text: 0x9e,
  bytes16Text: 0xa0,
  bytes32Text: 0xa2,
  startListText: 0xa4,
  endListText: 0xa6,
  emptyText: 0xa8,
  dictionaryText: 0xaa,
  uniqueIdText: 0xac,
  timeSpanText: 0xae,
  uuidText: 0xb0,
  uInt64Text: 0xb2,
  boolText: 0xb4,
  unicodeChars8Text: 0xb6,
  unicodeChars16Text: 0xb8,
  unicodeChars32Text: 0xba,
  qNameDictionaryText: 0xbc,
} as const;

/** The records of a name: without a prefix, with any, and with the letter a; those of the other letters follow. */
export interface NamedRecords {
  readonly short: number;
  readonly long: number;
  readonly letterA: number;
}

export const elementRecords: NamedRecords = {
  short: record.shortElement,
  long: record.element,
  letterA: record.prefixElementA,
};

export const attributeRecords: NamedRecords = {
  short: record.shortAttribute,
  long: record.attribute,
  letterA: record.prefixAttributeA,
};
