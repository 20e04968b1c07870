import { collect, Command, type Finish, Option } from "../commander.ts";
import { type LimitOptions, limitsOf, withLimitOptions } from "../limit-options.ts";
import { Misuse } from "../misuse.ts";
import { type SchemaOptions, withSchemaOptions } from "../schema-options.ts";
import type { Terminal } from "../terminal.ts";

interface Options extends SchemaOptions, LimitOptions {
  readonly contentType?: string;
  readonly json?: boolean;
  readonly base64?: boolean;
  readonly hex?: boolean;
  readonly contracts?: readonly string[];
  readonly timeZone?: string;
  readonly jsonNet?: boolean;
}

/** `sobre decode`. */
export function decodeCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("decode")
    .summary("decode payload files with the codec that fits; also: encode")
    .description(
      "Reads payloads (- is standard input) by their content type, then with every\n" +
        "other codec. An AMQP message is opened. Protobuf is not guessed: name its type.",
    )
    .argument("<FILE...>")
    .option("-t, --content-type <CT>", "what the sender declared; default: none")
    .option("--base64", "the files hold base64; --hex: hexadecimal digits")
    .addOption(new Option("--hex").hideHelp())
    .option("-j, --json", 'one line of JSON per file, with "error" if unread');
  return withLimitOptions(withSchemaOptions(command), 250_000)
    .option("--contracts <PATH>", ".NET types: a file or folder; may be repeated", collect)
    .option("--time-zone <Z>", "the time zone of .NET's senders, e.g. Europe/Madrid")
    .option("--json-net", "resolve $type, $values and $ref of Json.NET")
    .addHelpText(
      "after",
      `
Values that JSON lacks are shown as {"$int64":"9"}, {"$bytes":"base64"}, ….
Examples:
  sobre decode --contracts Order.json --time-zone Europe/Madrid order.bin
Exit codes: 0 all were read, 1 one was not, 2 wrong usage or a missing file.`,
    )
    .action(async (files: readonly string[], options: Options) => {
      const { decodeFiles } = await import("./decode.ts");
      const { commandSerializer } = await import("../codecs.ts");
      const { readDotnetContracts } = await import("../migrate/dotnet-contracts.ts");
      const { proto, messageType, json = false, base64 = false, hex = false } = options;
      if (base64 && hex) throw new Misuse("--base64 and --hex exclude each other");
      if (proto !== undefined && messageType === undefined && options.contentType === undefined) {
        throw new Misuse("--proto needs --message-type, since Protobuf bodies do not name their type");
      }
      // Naming the message type declares that the body is Protobuf.
      const assumed = messageType === undefined ? undefined : "application/protobuf";
      const { contentType = assumed } = options;
      const serializer = await commandSerializer({
        ...options,
        limits: limitsOf(options),
        contracts: await readDotnetContracts(options.contracts),
      });
      finish(
        await decodeFiles(
          { files, contentType, json, text: base64 ? "base64" : hex ? "hex" : undefined },
          serializer,
          terminal,
        ),
      );
    });
}
