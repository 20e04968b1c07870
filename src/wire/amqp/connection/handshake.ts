import type { ByteReader } from "../../../core/amqp-values/byte-reader.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { code } from "./performative.ts";
import { WireFault } from "./wire-fault.ts";
import {
  binaryField,
  readFields,
  symbolField,
  symbolsField,
  ubyteField,
} from "../../../core/amqp-values/field-reader.ts";
import { required } from "./composite.ts";

/** How a server authenticates clients. */
export interface ServerSasl {
  readonly mechanisms: readonly string[];
  /** Whether the client is accepted. */
  readonly verify: (init: SaslInit) => boolean;
}

/** How a client authenticates; the first mechanism that the server offers is used. */
export interface ClientSasl {
  readonly mechanisms: readonly { readonly name: string; readonly initialResponse: Uint8Array }[];
  readonly hostname: string;
}

/** Protocol numbers of the header. */
export const protocol = { amqp: 0, tls: 2, sasl: 3 } as const;

/** Answers a SASL frame of a client; true when it is accepted. @throws WireFault when it is refused. */
export function serveSasl(sasl: ServerSasl, frames: FrameWriter, frame: SaslFrame): void {
  if (frame.descriptor !== code.saslInit)
    throw new WireFault("amqp:not-allowed", "The client must begin with a SASL init.");
  const init = readSaslInit(frame.reader);
  if (!sasl.mechanisms.includes(init.mechanism))
    throw new WireFault("amqp:unauthorized-access", "The SASL mechanism is not one of those offered.");
  if (!sasl.verify(init))
    throw new WireFault("amqp:unauthorized-access", "The name or key is wrong. Check the connection string.");
  frames.saslOutcome(0);
}

/** A frame of the SASL layer. */
export interface SaslFrame {
  readonly descriptor: number;
  readonly reader: ByteReader;
}

/** Continues as a client; true when the server has accepted it. @throws WireFault when it refuses. */
export function askSasl(sasl: ClientSasl, frames: FrameWriter, frame: SaslFrame): boolean {
  if (frame.descriptor === code.saslMechanisms) {
    const offered = readSaslMechanisms(frame.reader);
    const chosen = sasl.mechanisms.find(({ name }) => offered.includes(name));
    if (chosen === undefined)
      throw new WireFault("amqp:unauthorized-access", `The server offers only ${offered.join(", ")} to authenticate.`);
    frames.saslInit(chosen.name, chosen.initialResponse, sasl.hostname);
    return false;
  }
  if (frame.descriptor !== code.saslOutcome)
    throw new WireFault("amqp:not-implemented", "The server requests an unknown SASL exchange.");
  if (readSaslOutcome(frame.reader) === 0) return true;
  throw new WireFault("amqp:unauthorized-access", "The server refused the name or key.");
}

/** The mechanism that a client chose, and its response (AMQP 1.0 part 5.3.3.2). */
export interface SaslInit {
  readonly mechanism: string;
  readonly initialResponse?: Uint8Array | undefined;
  readonly hostname?: string | undefined;
}

const readSaslInit = (reader: ByteReader): SaslInit =>
  readFields(reader, () => ({
    mechanism: required(symbolField(reader), "mechanism"),
    initialResponse: binaryField(reader),
    hostname: symbolField(reader),
  }));

const readSaslMechanisms = (reader: ByteReader): readonly string[] => readFields(reader, symbolsField);

/** 0 is success. */
const readSaslOutcome = (reader: ByteReader): number => readFields(reader, () => required(ubyteField(reader), "code"));
