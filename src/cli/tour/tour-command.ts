import { type Command, commandOf, type Session } from "../commander.ts";

/** `sobre tour`. @param mailbox The folder that is visited when none is named. */
export function tourCommand(mailbox: string, { terminal, finish }: Session): Command {
  return commandOf("tour", {
    summary: "send a sample mailbox through a queue and show each result",
    about: `Sends every message of a mailbox through an in-memory queue and shows which
codec read it, or why none could; then repairs one dead letter and resends it.`,
    examples: ["sobre tour", "sobre tour fixtures/mailbox | less"],
    exits: `0 every message ended as the manifest expects, 1 one did not,
2 wrong usage or no mailbox in the folder.`,
  })
    .argument("[FOLDER]", "a folder with a manifest.json; default: the included one")
    .action(async (folder: string | undefined) =>
      finish(await (await import("./tour-report.ts")).visit(folder ?? mailbox, terminal)),
    );
}
