import { oneLine } from "../display.ts";
import { readMailbox } from "./mailbox.ts";
import { exitCodes } from "../misuse.ts";
import { mailboxReading } from "../codecs.ts";
import type { Terminal } from "../terminal.ts";
import { takeTour } from "./tour.ts";
import { tourReport } from "./tour-report.ts";

/** Runs the tour of a mailbox and prints its report; resolves to the exit code. */
export async function visit(folder: string, terminal: Terminal): Promise<number> {
  const mailbox = await readMailbox(folder);
  const tour = await takeTour(mailbox, mailboxReading(mailbox));
  await terminal.out(tourReport(oneLine(folder), tour, terminal));
  const stops = [...tour.stops, ...(tour.repair === undefined ? [] : [tour.repair.stop])];
  const kept = tour.stops.length === mailbox.letters.length && tour.deadLetters.every(({ untouched }) => untouched);
  return kept && stops.every(({ surprise }) => surprise === undefined) ? exitCodes.done : exitCodes.failed;
}
