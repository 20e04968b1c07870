export { protobuf, type ProtobufOptions } from "./protobuf.ts";
export type { ProtobufDescriptor, ProtobufRoot } from "./reflection.ts";
