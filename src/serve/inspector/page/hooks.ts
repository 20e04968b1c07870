import { getJson, type Query, reasonOf } from "./api-client.ts";
import { useCallback, useEffect, useState } from "./preact.ts";

/** An answer, or the reason why there is none; both are `undefined` while it is awaited. */
export interface Loaded<Answer> {
  readonly answer: Answer | undefined;
  readonly problem: string | undefined;
  readonly reload: () => void;
}

/** The answer to a request, asked again every `interval` milliseconds; without one only once. */
export function useAnswer<Answer>(path: string, query: Query = {}, interval?: number): Loaded<Answer> {
  const [answer, setAnswer] = useState<Answer | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [round, setRound] = useState(0);
  const key = JSON.stringify([path, query]);
  useEffect(() => {
    setAnswer(undefined);
    setProblem(undefined);
  }, [key]);
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      try {
        const loaded = await getJson<Answer>(path, query, leaving.signal);
        setAnswer(() => loaded);
        setProblem(undefined);
      } catch (error) {
        if (leaving.signal.aborted) return;
        setProblem(reasonOf(error));
      }
      if (interval !== undefined && !leaving.signal.aborted) timer = setTimeout(() => void load(), interval);
    };
    void load();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [key, interval, round]);
  return { answer, problem, reload: useCallback(() => setRound((before) => before + 1), []) };
}

/** The part of the address after `#`. */
export function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = (): void => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return hash;
}
