/** One thing to time; it does one operation of many per call and returns something, so that nothing is optimised away. */
export type Contender = () => unknown;

/** Nanoseconds per call, medians over the rounds, and the median of the per-round ratios to the first contender. */
export interface Comparison {
  readonly names: readonly string[];
  readonly nanoseconds: Readonly<Record<string, number>>;
  /** Time of the contender over the time of the baseline, per round, median. */
  ratio(contender: string, baseline: string): number;
}

/** Options of {@link compare}. */
export interface CompareOptions {
  /** Rounds; in each, every contender runs once, the order rotating. Default: 31. */
  readonly rounds?: number;
  /** Milliseconds of each contender's share of a round. Default: 12. */
  readonly share?: number;
}

/**
 * Times contenders in one process, interleaved, so that a noisy machine disturbs all alike. The processor time of the thread
 * would be disturbed less, but is counted in ticks of milliseconds on many machines, a third of a contender's share.
 */
export function compare(contenders: Readonly<Record<string, Contender>>, options: CompareOptions = {}): Comparison {
  const { rounds = 31, share = 12 } = options;
  const entries = Object.entries(contenders);
  const calls = entries.map(([, run]) => calibrate(run, share));
  const samples = entries.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < entries.length; turn++) {
      const index = (turn + round) % entries.length;
      const [, run] = entries[index] ?? ["", () => undefined];
      samples[index]?.push(time(run, calls[index] ?? 1));
    }
  }
  const names = entries.map(([name]) => name);
  const column = (name: string): readonly number[] => samples[names.indexOf(name)] ?? [];
  return {
    names,
    nanoseconds: Object.fromEntries(names.map((name) => [name, median(column(name))])),
    ratio: (contender, baseline) =>
      median(column(contender).map((value, round) => value / (column(baseline)[round] ?? Number.NaN))),
  };
}

/** The middle value; the mean of the two middle ones for an even count. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** One figure of a bench: what was measured, and what was asked for. */
export interface Figure {
  readonly name: string;
  readonly measured: number;
  /** `most`: measured must not be greater; `least`: must not be smaller. */
  readonly bound: "most" | "least";
  /** The promise of the project. */
  readonly target: number;
  /** The limit of `--check`, which leaves room for a noisy machine. */
  readonly floor: number;
  readonly unit: string;
}

function calibrate(run: Contender, share: number): number {
  let calls = 16;
  // Twice over, so that the optimiser has been through before the count is fixed.
  for (let pass = 0; pass < 2; pass++) {
    for (calls = 16; ; calls *= 2) {
      const spent = time(run, calls) * calls;
      if (spent >= share * 1e6) break;
    }
  }
  return calls;
}

let sink: unknown;

function time(run: Contender, calls: number): number {
  const start = process.hrtime.bigint();
  for (let call = 0; call < calls; call++) sink = run();
  return Number(process.hrtime.bigint() - start) / calls;
}

/** The last result of a contender; reading it keeps the calls alive. */
export const lastResult = (): unknown => sink;
