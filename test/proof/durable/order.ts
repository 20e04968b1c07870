import { join } from "node:path";
import { Acknowledgements, isOneOf } from "./acknowledgements.ts";
import { earlyAnswers, manyBatches, shortLog, watched } from "./order-faults.ts";
import { type Event, type Load, record } from "./record.ts";
import { SyncedImage } from "./synced-image.ts";

/** How many acknowledgements there were of each kind, and those that came before their sync. */
interface Order {
  readonly counts: ReadonlyMap<string, number>;
  readonly early: ReadonlyMap<string, string>;
}

/** Holds every acknowledgement to the disk: what it says must be in what was synced before it. */
function checkOrder(events: readonly Event[], path: string): Order {
  const image = new SyncedImage(path);
  const acknowledgements = new Acknowledgements();
  const [counts, early] = [new Map<string, number>(), new Map<string, string>()];
  for (const event of events) {
    image.add(event);
    const { kind, effects } = (event.kind === "line" ? acknowledgements.add(event.text) : undefined) ?? { kind: "" };
    const changed = Object.entries(effects ?? {});
    if (changed.length > 0) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [name, value] of changed) {
      const synced = image.value(name);
      if (!isOneOf(synced, value)) early.set(kind, `"${name}" was "${synced}", and "${value}" was acknowledged`);
    }
  }
  image.close();
  return { counts, early };
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, one) => all + one, 0);

/** One caller; many, whose batches are shared; many with a batch each. */
const loads = [
  [1, watched],
  [8, shortLog],
  [8, manyBatches],
] as const;

/**
 * Every acknowledgement of every kind left after the sync that covers it, of one caller, whose answers come through shared memory, and
 * of many; those of engines that answer early did not.
 *
 * @param counts how many acknowledgements of each load are held to it, and of its mutant.
 */
export async function order(
  scratch: string,
  { recorder, seed }: Pick<Load, "recorder" | "seed">,
  counts: { readonly due: number; readonly mutant: number },
): Promise<string> {
  let runs = 0;
  const ordered = async (callers: number, acknowledgements: number, more: Partial<Load> = {}): Promise<Order> => {
    const directory = join(scratch, `order-${++runs}`);
    const load = { directory, recorder, seed, callers, acknowledgements, ...more };
    return checkOrder(await record(load), `${directory}.image`);
  };
  let held = 0;
  for (const [callers, faults] of loads) {
    const due = await ordered(callers, counts.due, { faults });
    for (const [kind, why] of due.early)
      throw new Error(`"${kind}" was acknowledged before its commit was synced: ${why}.`);
    const mutant = await ordered(callers, counts.mutant, { faults, early: true });
    const missed = [...due.counts.keys()].filter((kind) => !mutant.early.has(kind));
    // Of many callers' calls, those of a rare kind may all come behind a sync by chance.
    if (missed.length > (callers === 1 ? 0 : due.counts.size / 2))
      throw new Error(`Not caught with ${callers} callers, early: ${missed.join(", ")}.`);
    held += sum(due.counts);
  }
  for (const { name, callers, faults } of earlyAnswers)
    if ((await ordered(callers, 300, { faults, mayFail: true })).early.size === 0)
      throw new Error(`Not caught: ${name}.`);
  return `${held} acknowledgements after their syncs; caught: early answers of every kind, and ${earlyAnswers.length} mistakes`;
}
