import { collect, Command, type Finish, Option, textOf } from "./commander.ts";
import { Misuse } from "./misuse.ts";
import { schemaOptions, type SchemaOptions } from "./schema-options.ts";
import type { Terminal } from "./terminal.ts";

/** Options as commander parses them, by long name in camelCase. */
interface Options extends SchemaOptions {
  readonly contentType?: unknown;
  readonly json?: unknown;
  readonly contracts?: unknown;
  readonly timeZone?: unknown;
}

/** `sobre decode`. */
export function decodeCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("decode")
    .summary("decode payload files with the codec that fits")
    .description(
      "Reads payloads by their content type, then by every other codec; of a whole\n" +
        "AMQP message the body. Protobuf is never guessed: name the type.",
    )
    .argument("<FILE...>", "payload files; - is standard input")
    .option("-t, --content-type <CT>", "what the sender declared; default: nothing")
    .option("-j, --json", "one line of JSON per file, in order")
    .addOption(new Option("--proto <FILE>", "a .proto file, for Protobuf bodies; may be repeated").argParser(collect))
    .addOption(new Option("--message-type <T>", "their message type, e.g. shop.Order"))
    .addOption(new Option("--contracts <PATH>", ".NET types: a file or folder; may be repeated").argParser(collect))
    .addOption(new Option("--time-zone <Z>", "the zone of .NET's senders, as Europe/Madrid"))
    .addHelpText(
      "after",
      `
Values JSON cannot hold are shown as {"$int64":"9"}, {"$bytes":"base64"}, ….
With --json, an empty body has no "value", an unread file has an "error".
Examples:
  sobre decode --contracts Order.json --time-zone Europe/Madrid order.bin

Exit codes: 0 all were read, 1 one was not, 2 wrong usage or a missing file.`,
    )
    .action(async (files: readonly string[], options: Options) => {
      const { decodeFiles } = await import("./decode.ts");
      const { commandSerializer } = await import("./codecs.ts");
      const { readDotnetContracts } = await import("./dotnet-contracts.ts");
      const schema = schemaOptions(options);
      if (schema.protos.length > 0 && schema.messageType === undefined && options.contentType === undefined) {
        throw new Misuse("--proto needs --message-type, since Protobuf bodies do not name their type");
      }
      // Naming the message type declares that the body is Protobuf.
      const assumed = schema.messageType === undefined ? undefined : "application/protobuf";
      const contentType = textOf(options.contentType) ?? assumed;
      const command = { files, contentType, json: options.json === true };
      const contracts = await readDotnetContracts(
        Array.isArray(options.contracts) ? options.contracts.map(String) : [],
      );
      const serializer = await commandSerializer({ ...schema, contracts, timeZone: textOf(options.timeZone) });
      finish(await decodeFiles(command, serializer, terminal));
    });
}
