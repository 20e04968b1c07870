export { amqp, type AmqpCodecOptions } from "./amqp/index.ts";
export { bytes } from "./bytes/index.ts";
export { json, type JsonOptions } from "./json/index.ts";
export { msgpack, MsgpackExtension, type MsgpackOptions } from "./msgpack/index.ts";
export { protobuf, type ProtobufOptions } from "./protobuf/index.ts";
export { text, type TextOptions } from "./text/index.ts";
