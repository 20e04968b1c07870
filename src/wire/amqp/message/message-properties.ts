import type { MessageId } from "../../../core/envelope/broker-properties.ts";
import type { Typed } from "../../../core/values/typed.ts";
import type { ByteReader } from "../../../core/amqp-values/byte-reader.ts";
import type { ByteWriter } from "../../../core/amqp-values/byte-writer.ts";
import {
  binaryField,
  enterFields,
  idField,
  nextField,
  stringField,
  symbolField,
  timestampField,
  uintField,
} from "../../../core/amqp-values/field-reader.ts";
import { FieldWriter } from "../../../core/amqp-values/field-writer.ts";
import { inside } from "../../../core/amqp-values/unsupported-value.ts";

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
  const count = enterFields(reader, propertyNames.length);
  const properties = noProperties();
  // Most messages leave many fields out: to ask for each would cost as much as the fields that are there.
  while (nextField(reader))
    switch (count - reader.fieldsLeft) {
      case 0:
        properties.messageId = idField(reader);
        break;
      case 1:
        properties.userId = binaryField(reader);
        break;
      case 2:
        properties.to = stringField(reader);
        break;
      case 3:
        properties.subject = stringField(reader);
        break;
      case 4:
        properties.replyTo = stringField(reader);
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
        properties.absoluteExpiryTime = timestampField(reader);
        break;
      case 9:
        properties.creationTime = timestampField(reader);
        break;
      case 10:
        properties.groupId = stringField(reader);
        break;
      case 11:
        properties.groupSequence = uintField(reader);
        break;
      default:
        properties.replyToGroupId = stringField(reader);
    }
  reader.leave(reader.end);
  return properties;
}

type MessagePropertiesDraft = { -readonly [name in keyof MessageProperties]: MessageProperties[name] };

/** One shape for all, whichever fields are there. */
const noProperties = (): MessagePropertiesDraft => ({
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
});

/** The fields of the section in their order. */
export const propertyNames = [
  "messageId",
  "userId",
  "to",
  "subject",
  "replyTo",
  "correlationId",
  "contentType",
  "contentEncoding",
  "absoluteExpiryTime",
  "creationTime",
  "groupId",
  "groupSequence",
  "replyToGroupId",
] as const;

/** Writes the list of a properties section; fields behind the last one that is set are left out. */
export function writeProperties(writer: ByteWriter, properties: MessageProperties): void {
  const fields = new FieldWriter(writer);
  try {
    fields.id(properties.messageId);
    fields.binary(properties.userId);
    fields.string(properties.to);
    fields.string(properties.subject);
    fields.string(properties.replyTo);
    fields.id(properties.correlationId);
    fields.symbol(properties.contentType);
    fields.symbol(properties.contentEncoding);
    fields.timestamp(properties.absoluteExpiryTime);
    fields.timestamp(properties.creationTime);
    fields.string(properties.groupId);
    fields.uint(properties.groupSequence);
    fields.string(properties.replyToGroupId);
  } catch (error) {
    throw inside(error, `.${propertyNames[fields.index]}`);
  }
  fields.end();
}
