import type { ByteReader } from "../values/byte-reader.ts";
import type { MessageId } from "../../envelope/broker-properties.ts";
import type { Typed } from "../../values/typed.ts";
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
  // Most messages leave many fields out: a call for each would cost as much as the fields that are there.
  if (count > 0) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.messageId = idField(reader);
  }
  if (count > 1) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.userId = binaryField(reader);
  }
  if (count > 2) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.to = textField(reader);
  }
  if (count > 3) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.subject = textField(reader);
  }
  if (count > 4) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.replyTo = textField(reader);
  }
  if (count > 5) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.correlationId = idField(reader);
  }
  if (count > 6) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.contentType = symbolField(reader);
  }
  if (count > 7) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.contentEncoding = symbolField(reader);
  }
  if (count > 8) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.absoluteExpiryTime = timeField(reader);
  }
  if (count > 9) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.creationTime = timeField(reader);
  }
  if (count > 10) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.groupId = textField(reader);
  }
  if (count > 11) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.groupSequence = uintField(reader);
  }
  if (count > 12) {
    if (bytes[reader.at] === 0x40 && reader.at < end) reader.at++;
    else properties.replyToGroupId = textField(reader);
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
