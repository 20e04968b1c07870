export {
  type AmqpMessage,
  type MessageBody,
  type MessageReadOptions,
  type MessageSections,
  parseMessage,
  type SectionBorder,
} from "./message/amqp-message.ts";
export { batchMessageFormat, decodeBatch, encodeBatch } from "./message/batch.ts";
export { decodeMessage, type DecodeMessageOptions } from "./message/decode-message.ts";
export type { DeliveryFacts } from "./message/envelope-annotations.ts";
export { encodeMessage, type EncodeMessageOptions } from "./message/encode-message.ts";
export type { MessageHeader } from "./message/message-header.ts";
export type { MessageProperties } from "./message/message-properties.ts";
export type { SectionName } from "./message/section.ts";
export { type BodyInit, type MessageInit, type MessageWriteOptions, writeMessage } from "./message/write-message.ts";
export type { MapInit } from "./message/write-section.ts";
