import type { ByteReader } from "../values/byte-reader.ts";
import { binaryField, readFields, symbolField, symbolsField, ubyteField } from "../values/field-reader.ts";
import { required } from "./composite.ts";

/** How a client wants to show who it is (AMQP 1.0 part 5.3.3.2). */
export interface SaslInit {
  readonly mechanism: string;
  readonly initialResponse?: Uint8Array | undefined;
  readonly hostname?: string | undefined;
}

export const readSaslInit = (reader: ByteReader): SaslInit =>
  readFields(reader, () => ({
    mechanism: required(symbolField(reader), "mechanism"),
    initialResponse: binaryField(reader),
    hostname: symbolField(reader),
  }));

export const readSaslMechanisms = (reader: ByteReader): readonly string[] => readFields(reader, symbolsField);

/** 0 is success. */
export const readSaslOutcome = (reader: ByteReader): number =>
  readFields(reader, () => required(ubyteField(reader), "code"));
