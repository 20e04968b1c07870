import {
  collect,
  type Command,
  commandOf,
  type LimitOptions,
  limitsOf,
  Option,
  type SchemaOptions,
  type Session,
  withLimitOptions,
  withSchemaOptions,
} from "../commander.ts";
import { Misuse } from "../terminal.ts";

interface DecodeOptions extends SchemaOptions, LimitOptions {
  readonly contentType?: string;
  readonly json?: boolean;
  readonly base64?: boolean;
  readonly hex?: boolean;
  readonly contracts?: readonly string[];
  readonly timeZone?: string;
  readonly jsonNet?: boolean;
}

/** `sobre decode`. */
export function decodeCommand({ terminal, finish }: Session): Command {
  const command = commandOf("decode", {
    summary: "decode payload files with the codec that fits; also: encode",
    about: `Reads payloads (- is standard input) by their content type, then with every
other codec. An AMQP message is opened. Protobuf is not guessed: name its type.`,
    notes: `Values that JSON lacks are shown as {"$int64":"9"}, {"$bytes":"base64"}, ….
Examples:
  sobre decode --contracts Order.json --time-zone Europe/Madrid order.bin
Exit codes: 0 all were read, 1 one was not, 2 wrong usage or a missing file.`,
  })
    .argument("<FILE...>")
    .option("-t, --content-type <CT>", "what the sender declared; default: none")
    .option("--base64", "the files hold base64; --hex: hexadecimal digits")
    .addOption(new Option("--hex").hideHelp())
    .option("-j, --json", 'one line of JSON per file, with "error" if unread');
  return withLimitOptions(withSchemaOptions(command), 250_000)
    .option("--contracts <PATH>", ".NET types: a file or folder; may be repeated", collect)
    .option("--time-zone <Z>", "the time zone of .NET's senders, e.g. Europe/Madrid")
    .option("--json-net", "resolve $type, $values and $ref of Json.NET")
    .action(async (files: readonly string[], options: DecodeOptions) => {
      const { decodeFiles } = await import("./decode.ts");
      const { commandSerializer } = await import("../codecs.ts");
      const { readDotnetContracts } = await import("../migrate/dotnet-contracts.ts");
      const { proto, messageType, json = false, base64 = false, hex = false } = options;
      if (base64 && hex) throw new Misuse("--base64 and --hex exclude each other");
      if (proto !== undefined && messageType === undefined && options.contentType === undefined)
        throw new Misuse("--proto needs --message-type, since Protobuf bodies do not name their type");
      // Naming the message type declares that the body is Protobuf.
      const assumed = messageType === undefined ? undefined : "application/protobuf";
      const { contentType = assumed } = options;
      const contracts = await readDotnetContracts(options.contracts);
      const serializer = await commandSerializer({ ...options, limits: limitsOf(options), contracts });
      const text = base64 ? "base64" : hex ? "hex" : undefined;
      finish(await decodeFiles({ files, contentType, json, text }, serializer, terminal));
    });
}

interface EncodeOptions extends SchemaOptions {
  readonly to: string;
  readonly contracts?: readonly string[];
}

/** `sobre encode`. */
export function encodeCommand({ terminal, finish }: Session): Command {
  const command = commandOf("encode", {
    summary: "write a payload from JSON, the inverse of decode",
    about: `Writes the payload of a value to standard output. The value is JSON, as
\`sobre decode --json\` prints under "value"; no FILE is standard input, and no input is an empty payload.`,
    examples: [
      `echo '{"id":{"$int64":"9"}}' | sobre encode --to application/msgpack > id.bin`,
      "sobre decode --json id.bin | jq .value | sobre encode --to application/json",
      "sobre encode --to 'application/json; charset=utf-16le' order.json > order.bin",
      "sobre encode --to application/protobuf --message-type shop.Order --proto …",
      "sobre encode --to application/x-nbfx --contracts contracts \\",
      "  --message-type Acme.Order order.json > order.bin",
    ],
    exits: `0 written, 1 the format cannot represent the value, 2 wrong usage
or a missing file.`,
  })
    .argument("[FILE]", "", "-")
    .requiredOption("-t, --to <CT>", "the content type, which selects the codec");
  return withSchemaOptions(command)
    .option("--contracts <PATH>", ".NET types: a file or folder; may be repeated", collect)
    .action(async (file: string, options: EncodeOptions) => {
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

interface InspectOptions {
  readonly json?: boolean;
  readonly hexLines?: boolean;
}

/** `sobre inspect`. */
export function inspectCommand({ terminal, finish }: Session): Command {
  return commandOf("inspect", {
    summary: "show AMQP 1.0 messages section by section",
    about: "Shows AMQP 1.0 messages and values section by section, with types, offsets\nand bytes.",
    notes: `Typed JSON names every type: {"t":"ulong","v":"9"}.
Examples:
  sobre inspect message.bin
  sobre inspect --json message.bin | jq .sections
  echo 5601 | sobre inspect --hex-lines`,
    exits: `0 all was read, 1 something was not, 2 wrong usage or a missing
file.`,
  })
    .argument("[FILE...]", "encoded messages or values; - for standard input")
    .option("-j, --json", "one line of typed JSON per file, in order")
    .option("--hex-lines", "read hex from standard input, one value or message per line")
    .action(async (files: readonly string[], { json = false, hexLines = false }: InspectOptions) => {
      const { inspectFiles, inspectHexLines } = await import("./inspect.ts");
      if (hexLines && files.length > 0) throw new Misuse("--hex-lines reads standard input and takes no FILE");
      if (hexLines) return finish(await inspectHexLines(terminal));
      if (files.length === 0) throw new Misuse("inspect needs a FILE or --hex-lines");
      finish(await inspectFiles({ files, json }, terminal));
    });
}
