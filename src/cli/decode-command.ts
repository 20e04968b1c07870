import { collect, Command, type Finish, Option, textOf } from "./commander.ts";
import { Misuse } from "./misuse.ts";
import { schemaOptions, type SchemaOptions } from "./schema-options.ts";
import type { Terminal } from "./terminal.ts";

/** What commander parsed, by long name in camelCase. */
interface Options extends SchemaOptions {
  readonly contentType?: unknown;
  readonly json?: unknown;
}

/** `sobre decode`. */
export function decodeCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("decode")
    .summary("read payload files with every codec there is")
    .description(
      "Reads payloads by their content type, then by every other codec: json, text,\n" +
        "msgpack, amqp. Protobuf is never guessed: name the type.",
    )
    .argument("<FILE...>", "payload files; - is standard input")
    .option("-t, --content-type <CT>", "what the sender declared; default: nothing")
    .option("-j, --json", "one line of JSON per file, in order")
    .addOption(new Option("--proto <FILE>", "a .proto file, for Protobuf bodies; may be repeated").argParser(collect))
    .addOption(new Option("--message-type <T>", "their message type, as shop.Order"))
    .addHelpText(
      "after",
      `
Values JSON cannot hold are shown as {"$int64":"9"}, {"$bytes":"base64"}, ….
With --json, an empty body has no "value", an unread file has an "error".
Examples:
  sobre decode --json --content-type application/json - < order.bin
  sobre decode --proto shop.proto --message-type shop.Order order.bin

Exit codes: 0 every file was read, 1 one was not, 2 wrong usage or a missing
file (the others are still read).`,
    )
    .action(async (files: readonly string[], options: Options) => {
      const { decodeFiles } = await import("./decode.ts");
      const { commandSerializer } = await import("./codecs.ts");
      const schema = schemaOptions(options);
      if (schema.protos.length > 0 && schema.messageType === undefined && options.contentType === undefined) {
        throw new Misuse("--proto needs --message-type, since Protobuf bodies do not name their type");
      }
      // Naming the message type declares that the body is Protobuf.
      const assumed = schema.messageType === undefined ? undefined : "application/protobuf";
      const contentType = textOf(options.contentType) ?? assumed;
      const command = { files, contentType, json: options.json === true };
      const serializer = await commandSerializer(schema);
      finish(await decodeFiles(command, serializer, terminal));
    });
}
