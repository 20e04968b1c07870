import type { EntitySummary } from "../api.ts";

/** Samples that a sparkline shows. */
const maxSamples = 60;

/** The numbers of an entity over time. */
export interface EntitySamples {
  readonly active: readonly number[];
  readonly deadLetter: readonly number[];
  /** Seconds since the oldest message or dead letter was enqueued. */
  readonly age: readonly number[];
}

const noSamples: EntitySamples = { active: [], deadLetter: [], age: [] };

/** Adds a sample of each entity; those that are gone are forgotten. */
export function sampled(
  before: ReadonlyMap<string, EntitySamples>,
  entities: readonly EntitySummary[],
  now: number,
): ReadonlyMap<string, EntitySamples> {
  return new Map(
    entities.map(({ path, active, deadLetter, detail }) => {
      const known = before.get(path) ?? noSamples;
      const oldest = detail?.oldestDeadLetter ?? detail?.oldest;
      const age = typeof oldest === "string" ? Math.round((now - Date.parse(oldest)) / 1000) : 0;
      return [
        path,
        { active: add(known.active, active), deadLetter: add(known.deadLetter, deadLetter), age: add(known.age, age) },
      ];
    }),
  );
}

const add = (values: readonly number[], value: number): readonly number[] => [...values, value].slice(-maxSamples);
