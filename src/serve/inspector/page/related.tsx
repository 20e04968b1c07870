import type { EntitiesAnswer, EntitySummary, MessageRow, MessagesAnswer } from "../api.ts";
import { oneLine } from "../../../core/values/visible-text.ts";
import { getJson, reasonOf } from "./api-client.ts";
import { type JSX, useEffect, useRef, useState } from "./preact.ts";
import { addressOf } from "./router.ts";
import { counted, timeText } from "./text.ts";

/** Messages that are shown. */
const maxRelated = 50;

interface RelatedMessage {
  readonly entity: string;
  readonly row: MessageRow;
}

interface RelatedProps {
  /** The queue of the message, and its dead-letter queue. */
  readonly entities: readonly string[];
  /** Whether to look in every other entity, too. */
  readonly everywhere: boolean;
  readonly related: readonly string[];
  /** The message itself, which is left out. */
  readonly own: { readonly entity: string; readonly sequence: string };
}

/** The other messages of a conversation or trace, in order of time; they are looked for when asked. */
export function Related({ entities, everywhere, related, own }: RelatedProps): JSX.Element {
  const [found, setFound] = useState<readonly RelatedMessage[]>([]);
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const leaving = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const look = async (signal: AbortSignal): Promise<void> => {
    const all = new Map<string, RelatedMessage>();
    let scanned = 0;
    const others = everywhere ? (await getJson<EntitiesAnswer>("entities", {}, signal)).entities.flatMap(listsOf) : [];
    for (const entity of new Set([...entities, ...others])) {
      for (const id of related) {
        for (let from: string | null = "0"; from !== null && all.size < maxRelated;) {
          const query = { entity, related: id, from, max: String(maxRelated) };
          const answer: MessagesAnswer = await getJson<MessagesAnswer>("messages", query, signal);
          for (const row of answer.rows) all.set(`${entity} ${row.sequenceNumber}`, { entity, row });
          scanned += answer.scanned;
          from = answer.next;
          setSaid(`${counted(scanned, "message")} looked at…`);
        }
      }
    }
    all.delete(`${own.entity} ${own.sequence}`);
    const sorted = [...all.values()].toSorted((a, b) => (a.row.enqueuedTimeUtc < b.row.enqueuedTimeUtc ? -1 : 1));
    setFound(sorted);
    setSaid(sorted.length === 0 ? "No other message shares an id with it." : "");
  };
  const start = (): void => {
    leaving.current?.abort();
    leaving.current = new AbortController();
    const { signal } = leaving.current;
    setBusy(true);
    look(signal)
      .catch((error: unknown) => setSaid(signal.aborted ? "Stopped." : reasonOf(error)))
      .finally(() => setBusy(false));
  };
  return (
    <>
      <ol class="timeline">
        {found.map(({ entity, row }) => (
          <li key={`${entity} ${row.sequenceNumber}`}>
            <time>{timeText(row.enqueuedTimeUtc)}</time>
            <a href={addressOf({ view: "message", entity, sequence: row.sequenceNumber })}>
              #{row.sequenceNumber} {oneLine(row.messageId ?? "without id")}
            </a>{" "}
            <span class="quiet">in {oneLine(entity)}</span>
          </li>
        ))}
      </ol>
      <div class="bar">
        {busy ? (
          <button type="button" onClick={() => leaving.current?.abort()}>
            Stop looking
          </button>
        ) : (
          <button type="button" onClick={start}>
            Find related messages
          </button>
        )}
        <span role="status" class="quiet">
          {said}
        </span>
      </div>
    </>
  );
}

/** The lists of an entity that hold messages. */
const listsOf = ({ path, kind, active, deadLetter, scheduled }: EntitySummary): readonly string[] => [
  ...(kind !== "topic" && active + scheduled > 0 ? [path] : []),
  ...(deadLetter > 0 ? [`${path}/$DeadLetterQueue`] : []),
];
