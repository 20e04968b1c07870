import type { Schema } from "./codecs.ts";
import { collect, type Command, Option, textOf } from "./commander.ts";

/** The options that name a Protobuf schema, as commander parsed them. */
export interface SchemaOptions {
  readonly proto?: unknown;
  readonly messageType?: unknown;
}

/** The schema that the options name. */
export function schemaOptions({ proto, messageType }: SchemaOptions): Schema {
  const protos = Array.isArray(proto) ? proto.map(String) : [];
  return { protos, messageType: textOf(messageType) };
}

/** Gives a command the options that name a Protobuf schema. */
export function withSchemaOptions(command: Command): Command {
  return command
    .addOption(new Option("--proto <FILE>", "a .proto file, for Protobuf; may be repeated").argParser(collect))
    .addOption(new Option("--message-type <T>", "their message type, e.g. shop.Order"));
}
