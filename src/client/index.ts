export { type Client, type ClientOptions, createClient } from "./client.ts";
export type { ProcessErrorArgs, Processor, ProcessorHandlers, ProcessorOptions } from "./processor.ts";
export type { ReceivedMessage } from "./received-message.ts";
export type {
  DeadLetterOptions,
  PropertiesToModify,
  ReceiveMessagesOptions,
  Receiver,
  ReceiverOptions,
} from "./receiver.ts";
export type { Sender } from "./sender.ts";
export { attemptsProperty, maxDescriptionLength, unreadableReason, withoutDeadLetterMarks } from "./unreadable.ts";
