/** Type codes of the stream (Java Object Serialization Specification 6.4.2, `TC_`). */
export const typeCodes = {
  null: 0x70,
  reference: 0x71,
  classDescription: 0x72,
  object: 0x73,
  string: 0x74,
  array: 0x75,
  class: 0x76,
  blockData: 0x77,
  endBlockData: 0x78,
  reset: 0x79,
  blockDataLong: 0x7a,
  exception: 0x7b,
  longString: 0x7c,
  proxyClassDescription: 0x7d,
  enum: 0x7e,
} as const;

/** `baseWireHandle`: the first handle assigned. */
export const firstHandle = 0x7e_0000;

/** `STREAM_MAGIC` and `STREAM_VERSION`. */
export const streamHeader: readonly number[] = [0xac, 0xed, 0x00, 0x05];
