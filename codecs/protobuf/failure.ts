import { type DecodeLimits, limitExceeded } from "../../src/core/codec/limits.ts";
import { SobreError } from "../../src/core/errors/sobre-error.ts";

/** Where a reader stopped: its position, and the end of the message it was in. */
export interface ReaderStop {
  readonly pos: number;
  readonly len: number;
}

/** The error of ours for what protobufjs threw; its own text is not passed on, since it may quote the payload. */
export function decodeFailure(error: unknown, stop: ReaderStop, payload: Uint8Array, limits: DecodeLimits): SobreError {
  if (error instanceof SobreError) return error;
  const offset = Math.min(stop.pos, payload.length);
  const reason = error instanceof Error ? error.message : "";
  if (reason === "max depth exceeded") return limitExceeded("maxDepth", limits, { offset });
  if (error instanceof RangeError && reason.startsWith("Maximum call stack")) {
    return new SobreError(
      "LimitExceeded",
      `The Protobuf payload is nested too deeply for the stack of this process. Lower limits.maxDepth, which is ${limits.maxDepth}.`,
      { offset },
    );
  }
  if (error instanceof RangeError && stop.len >= payload.length) {
    return new SobreError(
      "TruncatedPayload",
      `The Protobuf payload of ${payload.length} bytes ends inside a field, at byte ${offset}. Send it whole.`,
      { offset },
    );
  }
  return new SobreError(
    "DecodeFailed",
    `${explain(error, reason)}, at byte ${offset}. Check that the message type is the sender's.`,
    {
      offset,
    },
  );
}

function explain(error: unknown, reason: string): string {
  if (error instanceof RangeError) return "A field reaches beyond its message";
  if (reason.startsWith("missing required")) return "A required field is missing";
  if (reason.startsWith("invalid wire type") || reason.startsWith("illegal tag") || reason.startsWith("invalid tag")) {
    return "A field begins with a tag that Protobuf does not have";
  }
  if (reason.includes("end group")) return "A group does not end as it began";
  if (reason.startsWith("invalid")) return "A number has more bytes than Protobuf allows";
  if (error instanceof TypeError) return "A string is not well-formed UTF-8";
  return "The bytes are not Protobuf";
}
