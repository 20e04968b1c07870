import type { TestOptions } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** The thing that a skipped test lacks on this machine, for the list of `.ci/run`; any other skipped test fails the run. */
    leftOut?: string;
  }
}

/** The options of tests that are left out where this machine lacks something, e.g. `vectors: suites/wpt-mime` or `peer: go`. */
export function leftOutWithout(lack: string, isThere: boolean): TestOptions {
  return { skip: !isThere, meta: { leftOut: lack } };
}
