import { collect, type Command } from "./commander.ts";

/** The options that name a Protobuf schema. */
export interface SchemaOptions {
  /** Paths of .proto files, which import each other by the paths given. Default: none. */
  readonly proto?: readonly string[] | undefined;
  /** The message type of bodies whose content type names none. */
  readonly messageType?: string | undefined;
}

/** Gives a command the options that name a Protobuf schema. */
export function withSchemaOptions(command: Command): Command {
  return command
    .option("--proto <FILE>", "a .proto file, for Protobuf; may be repeated", collect)
    .option("--message-type <T>", "their message type, e.g. shop.Order");
}
