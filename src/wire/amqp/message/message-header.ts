import type { ByteReader } from "../../../core/amqp-values/byte-reader.ts";
import type { ByteWriter } from "../../../core/amqp-values/byte-writer.ts";
import { booleanField, enterFields, nextField, ubyteField, uintField } from "../../../core/amqp-values/field-reader.ts";
import { FieldWriter } from "../../../core/amqp-values/field-writer.ts";
import { inside } from "../../../core/amqp-values/unsupported-value.ts";

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
  const header = noHeader();
  while (nextField(reader))
    switch (count - reader.fieldsLeft) {
      case 0:
        header.durable = booleanField(reader);
        break;
      case 1:
        header.priority = ubyteField(reader);
        break;
      case 2:
        header.ttl = uintField(reader);
        break;
      case 3:
        header.firstAcquirer = booleanField(reader);
        break;
      default:
        header.deliveryCount = uintField(reader);
    }
  reader.leave(reader.end);
  return header;
}

const noHeader = (): { -readonly [name in keyof MessageHeader]: MessageHeader[name] } => ({
  durable: undefined,
  priority: undefined,
  ttl: undefined,
  firstAcquirer: undefined,
  deliveryCount: undefined,
});

/** A header without fields. */
export const emptyHeader: MessageHeader = Object.freeze(noHeader());

/** Writes the list of a header; fields behind the last one that is set are left out. */
export function writeHeader(writer: ByteWriter, header: MessageHeader): void {
  const fields = new FieldWriter(writer);
  try {
    fields.boolean(header.durable);
    fields.ubyte(header.priority);
    fields.uint(header.ttl);
    fields.boolean(header.firstAcquirer);
    fields.uint(header.deliveryCount);
  } catch (error) {
    throw inside(error, `.${["durable", "priority", "ttl", "firstAcquirer", "deliveryCount"][fields.index]}`);
  }
  fields.end();
}
