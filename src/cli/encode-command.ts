import { collect, Command, type Finish, Option, textOf } from "./commander.ts";
import { schemaOptions, type SchemaOptions } from "./schema-options.ts";
import type { Terminal } from "./terminal.ts";

/** Options as commander parses them, by long name in camelCase. */
interface Options extends SchemaOptions {
  readonly to?: unknown;
}

/** `sobre encode`. */
export function encodeCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("encode")
    .summary("write a payload from JSON, the inverse of decode")
    .description(
      'Writes the payload of a value to standard output. The value is JSON, as\n`sobre decode --json` has it under "value"; nothing at all is an empty payload.',
    )
    .argument("[FILE]", "the value; - is standard input", "-")
    .requiredOption("-t, --to <CT>", "the content type, which chooses the codec")
    .addOption(new Option("--proto <FILE>", "a .proto file, for a Protobuf body; may be repeated").argParser(collect))
    .addOption(new Option("--message-type <T>", "its message type, e.g. shop.Order"))
    .addHelpText(
      "after",
      `
Examples:
  echo '{"id":{"$int64":"9"}}' | sobre encode --to application/msgpack > id.bin
  sobre decode --json id.bin | jq .value | sobre encode --to application/json
  sobre encode --to 'application/json; charset=utf-16le' order.json > order.bin
  sobre encode --to 'application/protobuf; messageType=shop.Order' \\
    --proto shop.proto order.json > order.bin

Exit codes: 0 written, 1 the value has no form in that format, 2 wrong usage
or a missing file.`,
    )
    .action(async (file: string, options: Options) => {
      const { encodeFile } = await import("./encode.ts");
      const { commandSerializer } = await import("./codecs.ts");
      const serializer = await commandSerializer(schemaOptions(options));
      finish(await encodeFile({ file, contentType: textOf(options.to) ?? "" }, serializer, terminal));
    });
}
