export {
  AmqpMessage,
  type MessageBody,
  type MessageReadOptions,
  type MessageSections,
  openMessage,
  type SectionBorder,
} from "./amqp-message.ts";
export type { MessageHeader } from "./message-header.ts";
export type { MessageProperties } from "./message-properties.ts";
export type { SectionName } from "./section.ts";
export { type MessageInit, type MessageWriteOptions, writeMessage } from "./write-message.ts";
export type { MapInit } from "./write-section.ts";
