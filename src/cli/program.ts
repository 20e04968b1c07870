import { Command, CommanderError, Option } from "commander";
import type { Schema } from "./codecs.ts";
import { exitCodes, Misuse } from "./misuse.ts";
import type { Terminal } from "./terminal.ts";

/** The name and version that `--version` tells. */
export interface Product {
  readonly version: string;
  /** The mailbox that `sobre tour` visits when no folder is named. */
  readonly mailbox: string;
}

/** Runs one command line (without the program's own name); resolves to the exit code. Commands are loaded when asked for. */
export async function run(args: readonly string[], product: Product, terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.done;
  const finish = (code: number): void => void (exitCode = code);
  const program = frame(product, terminal);
  program.addCommand(tourCommand(product, terminal, finish));
  program.addCommand(decodeCommand(terminal, finish));
  program.addCommand(encodeCommand(terminal, finish));
  for (const command of program.commands) command.copyInheritedSettings(program).helpOption("-h, --help", "show this");
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.misuse;
    if (!(error instanceof Misuse)) throw error;
    terminal.err(`sobre: ${error.message}\n`);
    return exitCodes.misuse;
  }
}

function frame({ version }: Product, terminal: Terminal): Command {
  return new Command("sobre")
    .description("Message payloads in, the right codec, or the whole story of why not.")
    .version(version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show this")
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ helpWidth: helpColumns })
    .configureOutput({
      writeOut: (text) => void terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: (text, write) => write(text.replace(/^error: /, "sobre: ").replaceAll(/\n(?=.)/g, " ")),
    })
    .addHelpText(
      "after",
      `
Examples:
  sobre tour                                a mailbox of real payloads
  sobre decode order.bin                    which codec reads it, and to what
  sobre decode --json *.bin | jq .codec     one line of JSON per file
  sobre encode --to application/msgpack order.json > order.bin

Exit codes: 0 done, 1 something was not read, 2 wrong usage or a missing file.
\`sobre COMMAND --help\` tells more.`,
    );
}

function tourCommand({ mailbox }: Product, terminal: Terminal, finish: (code: number) => void): Command {
  return new Command("tour")
    .summary("send a mixed mailbox through a queue, and watch")
    .description(
      "Sends every message of a mailbox through a queue in memory and shows what\n" +
        "read it, or why nothing could; then repairs one dead letter and sends it again.",
    )
    .argument("[FOLDER]", "holds a manifest.json; default: the one that comes along")
    .addHelpText(
      "after",
      `
Examples:
  sobre tour
  sobre tour fixtures/mailbox | less

Exit codes: 0 every message ended as the manifest expects, 1 one did not,
2 wrong usage or no mailbox in the folder.`,
    )
    .action(async (folder: string | undefined) => {
      const { visit } = await import("./visit.ts");
      finish(await visit(folder ?? mailbox, terminal));
    });
}

function decodeCommand(terminal: Terminal, finish: (code: number) => void): Command {
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
Examples:
  sobre decode order.bin
  sobre decode --json --content-type application/json - < order.bin
  sobre decode --proto shop.proto --message-type shop.Order order.bin

Exit codes: 0 every file was read, 1 one was not, 2 wrong usage or a missing
file (the others are still read).`,
    )
    .action(async (files: readonly string[], options: Options) => {
      const { decodeFiles } = await import("./decode.ts");
      const { commandSerializer } = await import("./codecs.ts");
      const schema = schemaOptions(options);
      // Naming the message type declares that the body is Protobuf.
      const assumed = schema.messageType === undefined ? undefined : "application/protobuf";
      const contentType = textOf(options.contentType) ?? assumed;
      const command = { files, contentType, json: options.json === true };
      const serializer = await commandSerializer(schema);
      finish(await decodeFiles(command, serializer, terminal));
    });
}

function encodeCommand(terminal: Terminal, finish: (code: number) => void): Command {
  return new Command("encode")
    .summary("write a payload from JSON, the inverse of decode")
    .description("Writes the payload of a value to standard output. The value is JSON, as\n`sobre decode` prints it.")
    .argument("[FILE]", "the value; - is standard input", "-")
    .requiredOption("-t, --to <CT>", "the content type, which chooses the codec")
    .addOption(new Option("--proto <FILE>", "a .proto file, for a Protobuf body; may be repeated").argParser(collect))
    .addOption(new Option("--message-type <T>", "its message type, as shop.Order"))
    .addHelpText(
      "after",
      `
Examples:
  echo '{"id":{"$int64":"9"}}' | sobre encode --to application/msgpack > id.bin
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

/** What commander parsed, by long name in camelCase. */
interface Options {
  readonly contentType?: unknown;
  readonly json?: unknown;
  readonly to?: unknown;
  readonly proto?: unknown;
  readonly messageType?: unknown;
}

/** Help is set for the narrowest terminal, so that it looks the same everywhere. */
const helpColumns = 80;

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function schemaOptions({ proto, messageType }: Options): Schema {
  const protos = Array.isArray(proto) ? proto.map(String) : [];
  return { protos, messageType: textOf(messageType) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
