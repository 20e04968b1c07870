import type { DecodeLimits } from "../../../src/codec/limits.ts";
import { SobreError } from "../../../src/errors/sobre-error.ts";
import type { NrbfDocument } from "./nodes.ts";
import { RecordParser } from "./parser.ts";

/**
 * Reads a payload of .NET's `BinaryFormatter` (MS-NRBF) into a tree that keeps everything written, with byte offsets.
 * Nothing is loaded, resolved or run; references stay references.
 *
 * Classes that a sender wrote without the types of their members (`FormatterTypeStyle.TypesWhenNeeded`) can be read
 * only where none of the members is a bare primitive.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload`, `TrailingBytes` or `LimitExceeded`, with the offset.
 */
export function readNrbf(payload: Uint8Array, limits: DecodeLimits): NrbfDocument {
  const parser = new RecordParser(payload, limits);
  try {
    return parser.run();
  } catch (error) {
    const [offset] = parser.untyped;
    if (offset === undefined || !(error instanceof SobreError) || error.code === "LimitExceeded") throw error;
    const text = `The class at byte ${offset} of the BinaryFormatter payload was written without the types of its members, so that it cannot be read without its assembly.`;
    throw new SobreError("DecodeFailed", text, { offset, cause: error });
  }
}
