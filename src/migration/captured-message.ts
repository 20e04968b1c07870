import { json } from "../../codecs/json/index.ts";
import { resolveDecodeLimits } from "../codec/limits.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { envelopeFromJson } from "../envelope/envelope-json.ts";
import { SobreError } from "../errors/sobre-error.ts";
import { envelopeOfExplorer, isMembers } from "./explorer-message.ts";
import type { SourceContent } from "./source.ts";
import { openWholeMessage } from "./whole-message.ts";

/** The message that a piece of JSON is: an envelope in its JSON form, or what Service Bus Explorer saves. */
export function capturedMessage(bytes: Uint8Array): SourceContent {
  try {
    return { ok: true, envelope: openWholeMessage(envelopeOf(bytes)) };
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    return { ok: false, error, bytes };
  }
}

/** What stands for a piece of which only the beginning was kept. */
export function tooLongCapture(bytes: Uint8Array, most: number): SourceContent {
  const error = new SobreError(
    "LimitExceeded",
    `The captured message is longer than ${most} bytes, and was passed over.`,
  );
  return { ok: false, error, bytes };
}

const codec = json({ protoKey: "keep" });
const context = {
  contentType: undefined,
  applicationProperties: {},
  bodyKind: "data",
  limits: resolveDecodeLimits({ maxBytes: Number.MAX_SAFE_INTEGER }),
} as const;

function envelopeOf(bytes: Uint8Array): Envelope {
  const decoded = codec.decode(bytes, context);
  const message = "body" in decoded ? decoded.body : undefined;
  if (isMembers(message) && "payload" in message) return envelopeFromJson(message);
  if (isMembers(message) && "body" in message) return envelopeOfExplorer(message);
  throw new SobreError(
    "InvalidArgument",
    "This is JSON, but no captured message: an envelope has a payload, a message of Service Bus Explorer has a body.",
  );
}
