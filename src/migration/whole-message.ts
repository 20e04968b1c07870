import { decodeMessage } from "../amqp/message/decode-message.ts";
import { looksLike } from "../codec/looks-like.ts";
import { amend, createEnvelope, type Envelope } from "../envelope/envelope.ts";

/**
 * The message that the payload of a message is, as gateways and archives keep whole AMQP messages; `envelope` itself where
 * its payload is none, or only begins like one. What is said around the message counts before what it says itself.
 */
export function openWholeMessage(envelope: Envelope): Envelope {
  const { payload, bodyKind, brokerProperties: around, applicationProperties: beside } = envelope;
  const { contentType } = around;
  // Every section begins with a zero, and hardly anything else does.
  if (payload[0] !== 0 || bodyKind !== "data") return envelope;
  if (contentType !== undefined && contentType !== wholeMessage) return envelope;
  if (looksLike(payload)?.contentType !== wholeMessage) return envelope;
  try {
    const {
      payload: body,
      bodyKind: kind,
      brokerProperties,
      applicationProperties,
    } = decodeMessage(payload, {
      check: true,
    });
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

const wholeMessage = "application/x-amqp-message";
