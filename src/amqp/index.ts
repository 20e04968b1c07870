export {
  AmqpMessage,
  type MessageBody,
  type MessageReadOptions,
  type MessageSections,
  openMessage,
  type SectionBorder,
} from "./amqp-message.ts";
export { batchMessageFormat, decodeBatch, encodeBatch } from "./batch.ts";
export { decodeMessage, type DecodeMessageOptions } from "./decode-message.ts";
export type { DeliveryFacts } from "./delivery-facts.ts";
export { encodeMessage, type EncodeMessageOptions } from "./encode-message.ts";
export type { MessageHeader } from "./message-header.ts";
export type { MessageProperties } from "./message-properties.ts";
export type { SectionName } from "./section.ts";
export { type BodyInit, type MessageInit, type MessageWriteOptions, writeMessage } from "./write-message.ts";
export type { MapInit } from "./write-section.ts";
