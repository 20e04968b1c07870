import { collect, Command, type Finish } from "../commander.ts";
import { type SchemaOptions, withSchemaOptions } from "../schema-options.ts";
import type { Terminal } from "../terminal.ts";

interface Options extends SchemaOptions {
  readonly to: string;
  readonly contracts?: readonly string[];
}

/** `sobre encode`. */
export function encodeCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("encode")
    .summary("write a payload from JSON, the inverse of decode")
    .description(
      'Writes the payload of a value to standard output. The value is JSON, as\n`sobre decode --json` prints under "value"; no FILE is standard input, and no input is an empty payload.',
    )
    .argument("[FILE]", "", "-")
    .requiredOption("-t, --to <CT>", "the content type, which selects the codec");
  return withSchemaOptions(command)
    .option("--contracts <PATH>", ".NET types: a file or folder; may be repeated", collect)
    .addHelpText(
      "after",
      `
Examples:
  echo '{"id":{"$int64":"9"}}' | sobre encode --to application/msgpack > id.bin
  sobre decode --json id.bin | jq .value | sobre encode --to application/json
  sobre encode --to 'application/json; charset=utf-16le' order.json > order.bin
  sobre encode --to application/protobuf --message-type shop.Order --proto …
  sobre encode --to application/x-nbfx --contracts contracts \\
    --message-type Acme.Order order.json > order.bin

Exit codes: 0 written, 1 the format cannot represent the value, 2 wrong usage
or a missing file.`,
    )
    .action(async (file: string, options: Options) => {
      const { encodeFile } = await import("./encode.ts");
      const { commandSerializer } = await import("../codecs.ts");
      const { readDotnetContracts } = await import("../migrate/dotnet-contracts.ts");
      const { proto, messageType } = options;
      const contracts = await readDotnetContracts(options.contracts);
      // Both formats name a type in the content type.
      const isNet = messageType !== undefined && proto === undefined && contracts.length > 0;
      const contentType = isNet ? `${options.to}; messageType="${messageType}"` : options.to;
      const schema = isNet ? { proto } : { proto, messageType };
      const serializer = await commandSerializer({ ...schema, contracts });
      finish(await encodeFile({ file, contentType }, serializer, terminal));
    });
}
