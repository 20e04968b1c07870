/** The format codes of AMQP 1.0 part 1.6 in their order, so that the widest of a type comes last; 0x00 is the descriptor's. */
export const formatCodes: ReadonlyMap<number, FormatCode> = new Map(
  [
    at(0x40, "null", 0),
    at(0x41, "boolean", 0),
    at(0x42, "boolean", 0),
    at(0x43, "uint", 0),
    at(0x44, "ulong", 0),
    at(0x45, "list", 0),
    at(0x50, "ubyte", 1),
    at(0x51, "byte", 1),
    at(0x52, "uint", 1),
    at(0x53, "ulong", 1),
    at(0x54, "int", 1),
    at(0x55, "long", 1),
    at(0x56, "boolean", 1),
    at(0x60, "ushort", 2),
    at(0x61, "short", 2),
    at(0x70, "uint", 4),
    at(0x71, "int", 4),
    at(0x72, "float", 4),
    at(0x73, "char", 4),
    at(0x74, "decimal32", 4),
    at(0x80, "ulong", 8),
    at(0x81, "long", 8),
    at(0x82, "double", 8),
    at(0x83, "timestamp", 8),
    at(0x84, "decimal64", 8),
    at(0x94, "decimal128", 16),
    at(0x98, "uuid", 16),
    at(0xa0, "binary", -1),
    at(0xa1, "string", -1),
    at(0xa3, "symbol", -1),
    at(0xb0, "binary", -4),
    at(0xb1, "string", -4),
    at(0xb3, "symbol", -4),
    at(0xc0, "list", -1),
    at(0xc1, "map", -1),
    at(0xd0, "list", -4),
    at(0xd1, "map", -4),
    at(0xe0, "array", -1),
    at(0xf0, "array", -4),
  ].map((entry) => [entry.code, entry]),
);

/** One way to encode a type. */
export interface FormatCode {
  readonly code: number;
  /** The AMQP type's name. */
  readonly type: string;
  /** Bytes after the code; negative: the width of the size that says how many follow it. */
  readonly width: number;
}

function at(code: number, type: string, width: number): FormatCode {
  return { code, type, width };
}

/** The entry of {@link widths} for a byte that is not a format code. */
export const noWidth = -128;

/** The width of each format code as in {@link FormatCode}. */
export const widths: Int8Array = new Int8Array(256).fill(noWidth);
for (const { code, width } of formatCodes.values()) widths[code] = width;
