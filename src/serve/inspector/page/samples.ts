import type { EntityFact } from "../api.ts";

/** Samples that a sparkline shows. */
const most = 60;

/** The numbers of an entity over time. */
export interface Samples {
  readonly active: readonly number[];
  readonly deadLetter: readonly number[];
  /** Seconds since the oldest message or dead letter was enqueued. */
  readonly age: readonly number[];
}

const none: Samples = { active: [], deadLetter: [], age: [] };

/** Adds a sample of each entity; those that are gone are forgotten. */
export function sampled(
  before: ReadonlyMap<string, Samples>,
  entities: readonly EntityFact[],
  now: number,
): ReadonlyMap<string, Samples> {
  return new Map(
    entities.map(({ path, active, deadLetter, detail }) => {
      const known = before.get(path) ?? none;
      const oldest = detail?.oldestDeadLetter ?? detail?.oldest;
      const age = typeof oldest === "string" ? Math.round((now - Date.parse(oldest)) / 1000) : 0;
      return [
        path,
        { active: add(known.active, active), deadLetter: add(known.deadLetter, deadLetter), age: add(known.age, age) },
      ];
    }),
  );
}

const add = (values: readonly number[], value: number): readonly number[] => [...values, value].slice(-most);
