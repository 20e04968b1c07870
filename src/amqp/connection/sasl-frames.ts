import type { ByteReader } from "../values/byte-reader.ts";
import { FieldReader } from "../values/field-reader.ts";
import { required } from "./composite.ts";

/** How a client wants to show who it is (AMQP 1.0 part 5.3.3.2). */
export interface SaslInit {
  readonly mechanism: string;
  readonly initialResponse?: Uint8Array | undefined;
  readonly hostname?: string | undefined;
}

export function readSaslInit(reader: ByteReader): SaslInit {
  const fields = new FieldReader(reader);
  const init = {
    mechanism: required(fields.symbol(), "mechanism"),
    initialResponse: fields.binary(),
    hostname: fields.symbol(),
  };
  fields.leave();
  return init;
}

export function readSaslMechanisms(reader: ByteReader): readonly string[] {
  const fields = new FieldReader(reader);
  const mechanisms = fields.symbols();
  fields.leave();
  return mechanisms;
}

/** 0 is success. */
export function readSaslOutcome(reader: ByteReader): number {
  const fields = new FieldReader(reader);
  const outcome = required(fields.ubyte(), "code");
  fields.leave();
  return outcome;
}
