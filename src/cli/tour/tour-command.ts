import { Command, type Finish } from "../commander.ts";
import type { Product } from "../product.ts";
import type { Terminal } from "../terminal.ts";

/** `sobre tour`. */
export function tourCommand({ mailbox }: Product, terminal: Terminal, finish: Finish): Command {
  return new Command("tour")
    .summary("send a sample mailbox through a queue and show each result")
    .description(
      "Sends every message of a mailbox through an in-memory queue and shows which\n" +
        "codec read it, or why none could; then repairs one dead letter and resends it.",
    )
    .argument("[FOLDER]", "a folder with a manifest.json; default: the included one")
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
