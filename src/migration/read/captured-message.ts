import { isObject } from "../../core/values/plain-object.ts";
import { json } from "../../../codecs/json/index.ts";
import { wholeMessageIn } from "../../wire/amqp/message/whole-message.ts";
import { decodeAlone } from "../../core/codec/decode-alone.ts";
import { resolveDecodeLimits } from "../../core/codec/limits.ts";
import { type Captured, capturedFromJson } from "../../core/engine/delivery-json.ts";
import { amend, createEnvelope, type Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { envelopeOfExplorer } from "./explorer-message.ts";
import type { SourceContent, SourceMessage, SourcePiece } from "./source.ts";

/** The message in a piece of a file. */
export function messageOfPiece({ bytes, tooLong, ...place }: SourcePiece): SourceMessage {
  return { ...place, content: tooLong === undefined ? capturedMessage(bytes) : tooLongCapture(bytes, tooLong) };
}

/** The message in a piece of JSON: an envelope in its JSON form, or a message saved by Service Bus Explorer. */
export function capturedMessage(bytes: Uint8Array): SourceContent {
  try {
    const { envelope, delivery } = capturedIn(bytes);
    return { ok: true, envelope: openWholeMessage(envelope), delivery };
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    // The bytes of a piece may be overwritten.
    return { ok: false, error, bytes: new Uint8Array(bytes) };
  }
}

/** The failure for a piece that is too long. */
function tooLongCapture(bytes: Uint8Array, most: number): SourceContent {
  const error = new SobreError("LimitExceeded", `The captured message is longer than ${most} bytes, and was skipped.`);
  return { ok: false, error, bytes };
}

const codec = json({ protoKey: "keep" });
const limits = resolveDecodeLimits({ maxBytes: Number.MAX_SAFE_INTEGER });

function capturedIn(bytes: Uint8Array): Captured {
  const message = decodeAlone(codec, bytes, limits);
  if (isObject(message) && ("payload" in message || "envelope" in message)) return capturedFromJson(message);
  if (isObject(message) && "body" in message) return { envelope: envelopeOfExplorer(message) };
  throw new SobreError(
    "InvalidArgument",
    "This is JSON, but not a captured message: an envelope has a payload, and a Service Bus Explorer message has a body.",
  );
}

/**
 * Unwraps a payload that is a whole AMQP message, as gateways and archives store them; returns `envelope` itself if its
 * payload is not one or only starts like one. The outer properties take precedence over those inside.
 */
export function openWholeMessage(envelope: Envelope): Envelope {
  const { payload, bodyKind, brokerProperties: around, applicationProperties: beside } = envelope;
  const whole = bodyKind === "data" ? wholeMessageIn(payload, around.contentType) : undefined;
  if (whole === undefined) return envelope;
  try {
    const { payload: body, bodyKind: kind, brokerProperties, applicationProperties } = whole;
    // The parts are copied out, since the sections are not sent on.
    const inner = createEnvelope({ payload: body, bodyKind: kind, brokerProperties, applicationProperties });
    return amend(inner, {
      brokerProperties: { ...around, contentType: brokerProperties.contentType },
      applicationProperties: beside,
    });
  } catch {
    return envelope;
  }
}
