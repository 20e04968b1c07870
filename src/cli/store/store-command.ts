import { Command, type Finish } from "../commander.ts";
import type { Terminal } from "../terminal.ts";

/** `sobre store` with its two commands. */
export function storeCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("store")
    .summary("check a directory of `sobre serve --data`, and export its messages")
    .description("Reads the directory of a durable engine that no process has open.")
    .addCommand(checkCommand(terminal, finish))
    .addCommand(exportCommand(terminal, finish))
    .addHelpText(
      "after",
      `
Examples:
  sobre store check ./broker
  sobre store export ./broker ./messages

Exit codes: 0 done, 1 damaged or in use, 2 wrong usage.`,
    );
}

function checkCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("check")
    .summary("verify every row against its checksum, and count the messages")
    .description("Reads every row of the store in DIR and counts the messages of each queue.")
    .argument("<DIR>")
    .action(async (directory: string) => {
      const { checkStore } = await import("./store.ts");
      finish(await checkStore(directory, terminal));
    });
}

function exportCommand(terminal: Terminal, finish: Finish): Command {
  return new Command("export")
    .summary("write the messages to files, one per queue")
    .description(
      "Writes the messages of the store in DIR to a new folder OUT: one file per queue,\n" +
        "one envelope per line, in the format of `sobre capture`. Damaged rows are\n" +
        "reported and left out.",
    )
    .argument("<DIR>")
    .argument("<OUT>")
    .action(async (directory: string, folder: string) => {
      const { exportStore } = await import("./store.ts");
      finish(await exportStore(directory, folder, terminal));
    });
}
