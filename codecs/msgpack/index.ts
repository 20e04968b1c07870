export { MsgpackExtension } from "./extension.ts";
export { msgpack, type MsgpackOptions } from "./msgpack.ts";
