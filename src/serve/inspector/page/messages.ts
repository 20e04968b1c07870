import type { MessageRow, MessagesAnswer } from "../api.ts";
import { getJson, reasonOf } from "./api-client.ts";
import { useCallback, useEffect, useMemo, useState } from "./preact.ts";
import type { Filter } from "./router.ts";

/** Milliseconds between two looks at the end of a list. */
const tailInterval = 1000;

/** The messages of a list that are loaded. */
interface Messages {
  readonly rows: readonly MessageRow[];
  readonly scanned: number;
  readonly done: boolean;
  readonly problem: string | undefined;
  readonly more: () => void;
  readonly restart: () => void;
}

/** The messages that a filter selects, loaded page by page. */
export function useMessages(entity: string, filter: Filter, tail: boolean): Messages {
  const [state, setState] = useState<Pick<Messages, "rows" | "scanned" | "done" | "problem">>(noRows);
  const [round, setRound] = useState(0);
  const key = JSON.stringify([entity, filter, round]);
  const asked = useMemo(() => ({ next: "0", busy: false, atEnd: false, leaving: new AbortController() }), [key]);
  useEffect(() => {
    setState(noRows);
    return () => asked.leaving.abort();
  }, [asked]);
  const more = useCallback(() => {
    const load = async (): Promise<void> => {
      asked.busy = true;
      try {
        const query = { ...filter, entity, from: asked.next, max: "200" };
        const { rows, scanned, next } = await getJson<MessagesAnswer>("messages", query, asked.leaving.signal);
        asked.next = next ?? afterLast(rows, asked.next);
        asked.busy = false;
        asked.atEnd = next === null;
        setState((before) => ({
          rows: [...before.rows, ...rows],
          scanned: before.scanned + scanned,
          done: next === null,
          problem: undefined,
        }));
        if (next !== null && rows.length === 0) await load();
      } catch (error) {
        asked.busy = false;
        asked.atEnd = true;
        if (!asked.leaving.signal.aborted) setState((before) => ({ ...before, done: true, problem: reasonOf(error) }));
      }
    };
    if (!asked.busy && !asked.atEnd) void load();
  }, [asked]);
  useEffect(() => more(), [more]);
  useEffect(() => {
    if (!tail) return undefined;
    const timer = setInterval(() => {
      asked.atEnd = false;
      more();
    }, tailInterval);
    return () => clearInterval(timer);
  }, [tail, asked, more]);
  return { ...state, more, restart: useCallback(() => setRound((before) => before + 1), []) };
}

const noRows = { rows: [], scanned: 0, done: false, problem: undefined };

/** Where to continue after the last message. */
function afterLast(rows: readonly MessageRow[], before: string): string {
  const last = rows.at(-1);
  return last === undefined ? before : String(BigInt(last.sequenceNumber) + 1n);
}
