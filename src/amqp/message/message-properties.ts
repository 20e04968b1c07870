import type { MessageId } from "../../envelope/broker-properties.ts";
import type { Typed } from "../../values/typed.ts";
import type { ByteReader } from "../values/byte-reader.ts";
import type { ByteWriter } from "../values/byte-writer.ts";
import { FieldReader } from "../values/field-reader.ts";
import { FieldWriter } from "../values/field-writer.ts";
import { inside } from "../values/unsupported-value.ts";

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
  const fields = new FieldReader(reader, propertyNames.length);
  const properties = {
    messageId: fields.id(),
    userId: fields.binary(),
    to: fields.string(),
    subject: fields.string(),
    replyTo: fields.string(),
    correlationId: fields.id(),
    contentType: fields.symbol(),
    contentEncoding: fields.symbol(),
    absoluteExpiryTime: fields.timestamp(),
    creationTime: fields.timestamp(),
    groupId: fields.string(),
    groupSequence: fields.uint(),
    replyToGroupId: fields.string(),
  };
  fields.leave();
  return properties;
}

const propertyNames = [
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
