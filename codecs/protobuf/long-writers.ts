/** The part of a protobufjs writer that 64-bit integers need. */
interface Output {
  buf: Uint8Array;
  pos: number;
  /** Makes sure that so many bytes can be written at `pos`. */
  room(bytes: number): void;
  fork(): unknown;
  ldelim(): unknown;
}

/** A 64-bit integer of the schema's range; the keys of maps come as digits. */
type Long = number | bigint | string;

type WriteOne = (this: Output, value: Long) => Output;
type WriteList = (this: Output, values: readonly Long[]) => Output;

const halves = new DataView(new ArrayBuffer(8));

/** Puts the two's complement of a value into {@link halves}, the low 32 bits first. */
function split(value: Long): void {
  if (typeof value === "number") {
    halves.setUint32(0, value, true);
    halves.setUint32(4, Math.floor(value / 0x1_0000_0000), true);
  } else halves.setBigInt64(0, BigInt(value), true);
}

const varint: WriteOne = function (value) {
  split(value);
  return writeVarint(this, halves.getUint32(0, true), halves.getUint32(4, true));
};

/** Small numbers of either sign are short (Protocol Buffers encoding, "Signed Integers"). */
const zigzag: WriteOne = function (value) {
  split(value);
  const low = halves.getInt32(0, true);
  const high = halves.getInt32(4, true);
  const sign = high >> 31;
  return writeVarint(this, ((low << 1) ^ sign) >>> 0, (((high << 1) | (low >>> 31)) ^ sign) >>> 0);
};

const fixed: WriteOne = function (value) {
  this.room(8);
  split(value);
  for (let index = 0; index < 8; index++) this.buf[this.pos++] = halves.getUint8(index);
  return this;
};

function writeVarint(output: Output, lowHalf: number, highHalf: number): Output {
  output.room(10);
  const { buf } = output;
  let low = lowHalf;
  let high = highHalf;
  let at = output.pos;
  for (; high !== 0; high >>>= 7) {
    buf[at++] = (low & 0x7f) | 0x80;
    low = ((low >>> 7) | (high << 25)) >>> 0;
  }
  for (; low > 0x7f; low >>>= 7) buf[at++] = (low & 0x7f) | 0x80;
  buf[at++] = low;
  output.pos = at;
  return output;
}

function packed(write: WriteOne): WriteList {
  return function (values) {
    this.fork();
    for (const value of values) write.call(this, value);
    this.ldelim();
    return this;
  };
}

/** Methods of a writer for 64-bit integers, which take bigints as they are. */
export const longWriters: object = {
  int64: varint,
  uint64: varint,
  sint64: zigzag,
  fixed64: fixed,
  sfixed64: fixed,
  int64s: packed(varint),
  uint64s: packed(varint),
  sint64s: packed(zigzag),
  fixed64s: packed(fixed),
  sfixed64s: packed(fixed),
};
