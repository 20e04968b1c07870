import type { ByteReader } from "../../codecs/amqp/byte-reader.ts";
import type { MessageId, Typed } from "../envelope/index.ts";
import {
  binaryField,
  enterFields,
  idField,
  leaveFields,
  symbolField,
  textField,
  timeField,
  uintField,
} from "./fields.ts";

/** The properties section (AMQP 1.0 part 3.2.4); fields that were not sent are `undefined`. */
export interface MessageProperties {
  /** Read: text, bigint (ulong), bytes or a typed uuid. */
  readonly messageId?: MessageId | undefined;
  readonly userId?: Uint8Array | undefined;
  readonly to?: string | undefined;
  readonly subject?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly correlationId?: MessageId | undefined;
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly absoluteExpiryTime?: Date | Typed<"timestamp"> | undefined;
  readonly creationTime?: Date | Typed<"timestamp"> | undefined;
  readonly groupId?: string | undefined;
  readonly groupSequence?: number | undefined;
  readonly replyToGroupId?: string | undefined;
}

/** Reads the list of a properties section. */
export function readProperties(reader: ByteReader): MessageProperties {
  const count = enterFields(reader, 13);
  const properties = {
    messageId: count > 0 ? idField(reader) : undefined,
    userId: count > 1 ? binaryField(reader) : undefined,
    to: count > 2 ? textField(reader) : undefined,
    subject: count > 3 ? textField(reader) : undefined,
    replyTo: count > 4 ? textField(reader) : undefined,
    correlationId: count > 5 ? idField(reader) : undefined,
    contentType: count > 6 ? symbolField(reader) : undefined,
    contentEncoding: count > 7 ? symbolField(reader) : undefined,
    absoluteExpiryTime: count > 8 ? timeField(reader) : undefined,
    creationTime: count > 9 ? timeField(reader) : undefined,
    groupId: count > 10 ? textField(reader) : undefined,
    groupSequence: count > 11 ? uintField(reader) : undefined,
    replyToGroupId: count > 12 ? textField(reader) : undefined,
  };
  leaveFields(reader);
  return properties;
}
