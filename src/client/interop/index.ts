export { fromAmqplibMessage, toAmqplibMessage } from "./amqplib.ts";
export type {
  AmqplibMessage,
  AmqplibMessageLike,
  AmqplibProperties,
  AmqplibPropertiesLike,
} from "../../wire/amqplib/amqplib-message.ts";
export { createMessageConverter, type MessageConverter, type MessageConverterOptions } from "./message-converter.ts";
export { fromServiceBusMessage, toServiceBusMessage } from "./service-bus.ts";
export type { ServiceBusMessageFields, ServiceBusMessageLike } from "./service-bus-message.ts";
