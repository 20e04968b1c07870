import { Command, type Finish } from "../commander.ts";
import { Misuse } from "../misuse.ts";
import type { Terminal } from "../terminal.ts";

interface Options {
  readonly json?: boolean;
  readonly hexLines?: boolean;
}

/** `sobre inspect`. */
export function inspectCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("inspect")
    .summary("show AMQP 1.0 messages section by section")
    .description("Shows AMQP 1.0 messages and values section by section, with types, offsets\nand bytes.")
    .argument("[FILE...]", "encoded messages or values; - for standard input")
    .option("-j, --json", "one line of typed JSON per file, in order")
    .option("--hex-lines", "read hex from standard input, one value or message per line")
    .addHelpText(
      "after",
      `
Typed JSON names every type: {"t":"ulong","v":"9"}.
Examples:
  sobre inspect message.bin
  sobre inspect --json message.bin | jq .sections
  echo 5601 | sobre inspect --hex-lines

Exit codes: 0 all was read, 1 something was not, 2 wrong usage or a missing
file.`,
    )
    .action(async (files: readonly string[], { json = false, hexLines = false }: Options) => {
      const { inspectFiles, inspectHexLines } = await import("./inspect.ts");
      if (hexLines) {
        if (files.length > 0) throw new Misuse("--hex-lines reads standard input and takes no FILE");
        finish(await inspectHexLines(terminal));
        return;
      }
      if (files.length === 0) throw new Misuse("inspect needs a FILE or --hex-lines");
      finish(await inspectFiles({ files, json }, terminal));
    });
}
