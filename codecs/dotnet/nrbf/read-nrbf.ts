import type { DecodeLimits } from "../../../src/codec/limits.ts";
import type { NrbfDocument } from "./nodes.ts";
import { RecordParser } from "./parser.ts";

/**
 * Reads a payload of .NET's `BinaryFormatter` (MS-NRBF) into a tree that keeps everything written, with byte offsets.
 * Nothing is loaded, resolved or run; references stay references.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload`, `TrailingBytes` or `LimitExceeded`, with the offset.
 */
export function readNrbf(payload: Uint8Array, limits: DecodeLimits): NrbfDocument {
  return new RecordParser(payload, limits).run();
}
