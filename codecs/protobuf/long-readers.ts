/** The part of a protobufjs reader that 64-bit integers need. */
interface Position {
  readonly buf: Uint8Array;
  readonly len: number;
  pos: number;
  fixed32(): number;
}

/** Methods of a reader for 64-bit integers as bigints. */
export const longReaders: object = {
  int64(this: Position): bigint {
    const value = varint(this);
    return typeof value === "number" ? BigInt(value) : BigInt.asIntN(64, value);
  },
  uint64(this: Position): bigint {
    return BigInt(varint(this));
  },
  sint64(this: Position): bigint {
    const value = BigInt(varint(this));
    return (value >> 1n) ^ -(value & 1n);
  },
  fixed64(this: Position): bigint {
    const low = this.fixed32();
    return (BigInt(this.fixed32()) << 32n) | BigInt(low);
  },
  sfixed64(this: Position): bigint {
    const low = this.fixed32();
    return BigInt.asIntN(64, (BigInt(this.fixed32()) << 32n) | BigInt(low));
  },
};

/** Reads a varint of up to ten bytes; as a number while it is safe as one, which is much faster. */
function varint(position: Position): number | bigint {
  const { buf, pos, len } = position;
  let value = 0;
  let weight = 1;
  for (let at = pos; at < len && at < pos + 7; at++) {
    const byte = buf[at] ?? 0;
    value += (byte & 0x7f) * weight;
    if (byte < 0x80) {
      position.pos = at + 1;
      return value;
    }
    weight *= 0x80;
  }
  return longVarint(position, BigInt(value));
}

function longVarint(position: Position, low: bigint): bigint {
  const { buf, pos, len } = position;
  let value = low;
  for (let at = pos + 7; at < len && at < pos + 10; at++) {
    const byte = buf[at] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - pos));
    if (byte < 0x80) {
      position.pos = at + 1;
      return BigInt.asUintN(64, value);
    }
  }
  if (pos + 10 <= len) throw new Error("invalid varint encoding");
  throw new RangeError("index out of range");
}
