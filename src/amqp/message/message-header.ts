import type { ByteReader } from "../values/byte-reader.ts";
import { booleanField, enterFields, leaveFields, ubyteField, uintField } from "./fields.ts";

/** The header section (AMQP 1.0 part 3.2.1); fields that were not sent are `undefined`. */
export interface MessageHeader {
  readonly durable?: boolean | undefined;
  /** 0 to 9, 4 when not sent. */
  readonly priority?: number | undefined;
  /** Milliseconds to live. */
  readonly ttl?: number | undefined;
  readonly firstAcquirer?: boolean | undefined;
  /** Earlier failed deliveries. */
  readonly deliveryCount?: number | undefined;
}

/** Reads the list of a header. */
export function readHeader(reader: ByteReader): MessageHeader {
  const count = enterFields(reader, 5);
  const header = {
    durable: count > 0 ? booleanField(reader) : undefined,
    priority: count > 1 ? ubyteField(reader) : undefined,
    ttl: count > 2 ? uintField(reader) : undefined,
    firstAcquirer: count > 3 ? booleanField(reader) : undefined,
    deliveryCount: count > 4 ? uintField(reader) : undefined,
  };
  leaveFields(reader);
  return header;
}
