import { amend, type BodyKind, createEnvelope, type Envelope } from "../../../core/envelope/envelope.ts";
import { ByteWriter } from "../../../core/amqp-values/byte-writer.ts";
import { encodeMessage, writeEnvelope } from "./encode-message.ts";
import { MessageOrigin } from "./message-origin.ts";
import { needsTimes } from "./time-to-live.ts";

/** An envelope's parts that the sections of an AMQP message do not always hold. */
export interface BesidesSections {
  readonly timeToLive?: number | undefined;
  /** The declared kind of a body that is not of that kind, so that its payload lies in a data section. */
  readonly bodyKind?: BodyKind | undefined;
}

/** An envelope whose sections can be written, and what they cannot hold of the one that it stands for. */
export interface KeptEnvelope {
  readonly envelope: Envelope;
  readonly besides: BesidesSections;
}

const noPayload = new Uint8Array();

/** Takes what a check writes; the next check writes over it. */
const scratch = new ByteWriter();

/** @throws SobreError `UnsupportedValue` for properties that AMQP has no form for. */
export function checkProperties(envelope: Envelope): void {
  const { bodyKind, brokerProperties, applicationProperties, origin } = envelope;
  // A message of the network is written as it came.
  if (origin instanceof MessageOrigin ? origin.isUntouched(envelope) : isPlain(envelope)) return;
  scratch.at = scratch.start;
  // An empty payload is writable whatever its kind.
  const properties = { payload: noPayload, bodyKind, brokerProperties, applicationProperties };
  writeEnvelope(scratch, origin === undefined ? properties : { ...properties, origin });
}

/** Whether it has nothing but texts that AMQP has forms for wherever they are, as most envelopes. */
const isPlain = ({ brokerProperties, applicationProperties }: Envelope): boolean =>
  brokerProperties.timeToLive === undefined && isAscii(brokerProperties) && isAscii(applicationProperties);

const isAscii = (properties: object): boolean =>
  Object.entries(properties).every(([name, value]) => ascii.test(name) && (value === undefined || isText(value)));

const isText = (value: unknown): boolean => typeof value === "string" && ascii.test(value);

const ascii = /^[ -~]*$/;

/** The envelope itself, or one with the payload as data where it is not what its kind says: an engine does not look into it. */
export function kept(envelope: Envelope): KeptEnvelope {
  const { bodyKind } = envelope;
  const timeToLive = besidesSections(envelope);
  // Written, it would come with times that the sender has not given.
  const short = timeToLive === undefined ? envelope : amend(envelope, { brokerProperties: { timeToLive: undefined } });
  if (bodyKind === "data" || isWritable(short)) return { envelope: short, besides: { timeToLive } };
  return { envelope: amend(short, { bodyKind: "data" }), besides: { timeToLive, bodyKind } };
}

/** A time to live that the sections of the envelope do not say. */
function besidesSections({ brokerProperties: { timeToLive }, origin }: Envelope): number | undefined {
  if (timeToLive === Infinity) return timeToLive;
  const received = origin instanceof MessageOrigin ? origin.brokerProperties.timeToLive : undefined;
  return needsTimes(timeToLive, received) ? timeToLive : undefined;
}

function isWritable(envelope: Envelope): boolean {
  try {
    encodeMessage(envelope);
    return true;
  } catch {
    return false;
  }
}

/** The envelope that {@link kept} took, from its sections and what they could not hold. */
export function complete(envelope: Envelope, { timeToLive, bodyKind }: BesidesSections): Envelope {
  const whole = timeToLive === undefined ? envelope : amend(envelope, { brokerProperties: { timeToLive } });
  if (bodyKind === undefined) return whole;
  const { payload, brokerProperties, applicationProperties } = whole;
  return createEnvelope({ payload, bodyKind, brokerProperties, applicationProperties });
}
