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
// oxlint-disable-next-line complexity -- one case per field
export function readProperties(reader: ByteReader): MessageProperties {
  const count = enterFields(reader, 13);
  const properties = noProperties();
  const { bytes, end } = reader;
  for (let index = 0; index < count; index++) {
    const { at } = reader;
    // Most messages leave many fields out: a call for each would cost as much as the fields that are there.
    if (bytes[at] === 0x40 && at < end) {
      reader.at = at + 1;
      continue;
    }
    switch (index) {
      case 0:
        properties.messageId = idField(reader);
        break;
      case 1:
        properties.userId = binaryField(reader);
        break;
      case 2:
        properties.to = textField(reader);
        break;
      case 3:
        properties.subject = textField(reader);
        break;
      case 4:
        properties.replyTo = textField(reader);
        break;
      case 5:
        properties.correlationId = idField(reader);
        break;
      case 6:
        properties.contentType = symbolField(reader);
        break;
      case 7:
        properties.contentEncoding = symbolField(reader);
        break;
      case 8:
        properties.absoluteExpiryTime = timeField(reader);
        break;
      case 9:
        properties.creationTime = timeField(reader);
        break;
      case 10:
        properties.groupId = textField(reader);
        break;
      case 11:
        properties.groupSequence = uintField(reader);
        break;
      default:
        properties.replyToGroupId = textField(reader);
    }
  }
  leaveFields(reader);
  return properties;
}

/** One shape for all, whichever fields are there. */
function noProperties(): { -readonly [name in keyof MessageProperties]: MessageProperties[name] } {
  return {
    messageId: undefined,
    userId: undefined,
    to: undefined,
    subject: undefined,
    replyTo: undefined,
    correlationId: undefined,
    contentType: undefined,
    contentEncoding: undefined,
    absoluteExpiryTime: undefined,
    creationTime: undefined,
    groupId: undefined,
    groupSequence: undefined,
    replyToGroupId: undefined,
  };
}
