export { amqp, type AmqpCodecOptions } from "./amqp/index.ts";
export { bytes } from "./bytes/index.ts";
export { json, type JsonOptions } from "./json/index.ts";
export { msgpack, type MsgpackOptions } from "./msgpack/index.ts";
export { MsgpackExtension } from "../src/core/values/msgpack-extension.ts";
export { protobuf, type ProtobufOptions } from "./protobuf/index.ts";
export { text, type TextOptions } from "./text/index.ts";
