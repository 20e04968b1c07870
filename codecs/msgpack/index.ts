export { MsgpackExtension } from "../../src/values/msgpack-extension.ts";
export { msgpack, type MsgpackOptions } from "./msgpack.ts";
