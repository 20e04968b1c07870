import type { Delivery } from "../../core/engine/delivery.ts";
import type { Engine } from "../../core/engine/engine.ts";
import { peekPages } from "../../core/engine/peek-pages.ts";
import {
  type FacetGroup,
  type FacetName,
  facetNames,
  type GroupsAnswer,
  type MessageRow,
  type MessagesAnswer,
} from "./api.ts";
import { codecErrorOf, rowOf, typeOf } from "./message-facts.ts";
import type { MessageFilter } from "./message-filter.ts";
import type { Read } from "./reading.ts";
import type { Redaction } from "./redaction.ts";
import { Slices } from "./slices.ts";

/** Messages of one peek: the engine works on them in one go. */
const pageSize = 200;

/** Messages that one request looks at: so there is progress to show, and a way to stop. */
const maxScannedMessages = 5000;

/** A part of an entity to look at. */
export interface EntityScan {
  readonly engine: Engine;
  readonly entity: string;
  readonly from: bigint | undefined;
  readonly filter: MessageFilter;
  /** Aborted when nobody waits any longer. */
  readonly abortSignal?: AbortSignal | undefined;
}

interface Scanned {
  readonly scanned: number;
  readonly next: bigint | null;
}

/** Calls `each` with the selected messages until it returns false; nothing is locked, counted or moved. */
async function scan(
  { engine, entity, from, filter, abortSignal }: EntityScan,
  each: (delivery: Delivery, read: Read) => boolean,
): Promise<Scanned> {
  const slices = new Slices();
  let scanned = 0;
  for await (const page of peekPages(engine, entity, { from, session: filter.session, size: pageSize })) {
    for (const delivery of page) {
      scanned++;
      const read = await filter.selected(delivery);
      const goesOn = read === undefined || each(delivery, read);
      if (!goesOn || scanned >= maxScannedMessages || abortSignal?.aborted === true)
        return { scanned, next: delivery.sequenceNumber + 1n };
      await slices.turn();
    }
  }
  return { scanned, next: null };
}

/** A page of the selected messages. */
export async function listMessages(scanning: EntityScan, max: number, redaction: Redaction): Promise<MessagesAnswer> {
  const rows: MessageRow[] = [];
  const { scanned, next } = await scan(scanning, (delivery, read) => {
    rows.push(rowOf(delivery, read, redaction));
    return rows.length < max;
  });
  return { rows, scanned, next: next === null ? null : String(next) };
}

/** Counts the selected messages by each fact. */
export async function groupMessages(scanning: EntityScan): Promise<GroupsAnswer> {
  const groups = new Map(facetNames.map((name) => [name, new Map<string, { count: number; first: string }>()]));
  const { scanned, next } = await scan(scanning, (delivery, read) => {
    for (const name of facetNames) {
      const known = groups.get(name);
      const value = factOf[name](delivery, read);
      const group = known?.get(value);
      if (group === undefined) known?.set(value, { count: 1, first: String(delivery.sequenceNumber) });
      else group.count++;
    }
    return true;
  });
  const sorted = (name: FacetName): readonly FacetGroup[] =>
    Array.from(groups.get(name) ?? [], ([value, group]) => ({ value, ...group })).toSorted((a, b) => b.count - a.count);
  const facets = { reason: sorted("reason"), source: sorted("source"), type: sorted("type"), error: sorted("error") };
  return { facets, scanned, next: next === null ? null : String(next) };
}

const factOf: Readonly<Record<FacetName, (delivery: Delivery, read: Read) => string>> = {
  reason: ({ deadLetterReason = "" }) => deadLetterReason,
  source: ({ deadLetterSource = "" }) => deadLetterSource,
  type: typeOf,
  error: codecErrorOf,
};
