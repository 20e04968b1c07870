export { MsgpackExtension } from "../../src/core/values/msgpack-extension.ts";
export { msgpack, type MsgpackOptions } from "./msgpack.ts";
