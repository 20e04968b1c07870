import * as fc from "fast-check";

const surrogates = { first: 0xd800, count: 0x800 };

/** Every code point but the surrogates. */
const codePoint = fc.integer({ min: 0, max: 0x10ffff - surrogates.count }).map(
  (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  (text) => {
    const point = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point)) throw new TypeError("This is not one code point.");
    return point < surrogates.first ? point : point - surrogates.count;
  },
);

/** Texts of any code points. fast-check's own unit `binary` gives the same, and maps a million characters back at first. */
export const anyText = ({ maxLength }: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ unit: codePoint, ...(maxLength !== undefined && { maxLength }) });
