import { basename } from "node:path";

/** A test of vitest's JSON report. */
interface ReportedTest {
  readonly fullName: string;
  readonly status: string;
  readonly meta?: { readonly leftOut?: string };
}

/** A JSON report of vitest. */
export interface TestReport {
  readonly success: boolean;
  readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly ReportedTest[] }[];
}

/** A peer that a run has asked for, in the words of `npm run test:external`. */
export interface PeerRecord {
  readonly name: string;
  readonly tests?: readonly string[];
  readonly cases?: readonly string[];
  readonly runtime?: string;
  /** The reason why it was left out. */
  readonly reason?: string;
}

/** The end of a run's output. */
export interface RunSummary {
  readonly passed: number;
  readonly failed: number;
  /** The languages and runtimes of which a test has passed. */
  readonly ran: readonly string[];
  /** Everything that was left out on this machine, in a line each. */
  readonly leftOut: readonly string[];
  /** The reasons for which the run fails, in sentences. */
  readonly problems: readonly string[];
}

/** The client that every run must try; another language or runtime must have run besides. */
const official = "JavaScript";

/** Counts the tests of a run, and judges what it has left out. */
export function summarize(reports: readonly TestReport[], peers: readonly PeerRecord[]): RunSummary {
  const results = reports.flatMap(({ testResults }) => testResults);
  const tests = results.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === "passed").length;
  const failed = tests.filter(({ status }) => status === "failed").length;
  const others = tests.filter(({ status }) => status !== "passed" && status !== "failed");
  const unexplained = others.filter(({ meta }) => meta?.leftOut === undefined);
  const ran = runtimesOf(results, peers);
  return {
    passed,
    failed,
    ran,
    leftOut: [...new Set([...lostPeers(peers), ...lostTests(others)])],
    problems: [
      ...unexplained.map(({ fullName }) => `A test did not run, and does not say what it lacks: ${fullName}.`),
      ...(reports.every(({ success }) => success) ? [] : ["A report of tests is not one of success."]),
      ...(reports.length > 0 && reports.every(hasPassedTests)
        ? []
        : ["Some tests are missing: a report has no passed one."]),
      ...(ran.includes(official) ? [] : [`The official client of ${official} did not run.`]),
      ...(ran.some((runtime) => runtime !== official) ? [] : [`No language or runtime besides ${official} did run.`]),
    ],
  };
}

function hasPassedTests({ testResults }: TestReport): boolean {
  return testResults.some(({ assertionResults }) => assertionResults.some(({ status }) => status === "passed"));
}

function runtimesOf(results: TestReport["testResults"], peers: readonly PeerRecord[]): readonly string[] {
  const files = new Set(
    results
      .filter(({ assertionResults }) => assertionResults.some(({ status }) => status === "passed"))
      .map(({ name }) => basename(name)),
  );
  const ran = peers.filter(({ tests = [] }) => tests.some((file) => files.has(file)));
  return [...new Set(ran.flatMap(({ runtime }) => runtime ?? []))].toSorted();
}

function lostPeers(peers: readonly PeerRecord[]): readonly string[] {
  return peers.flatMap(({ name, tests = [], cases = [], reason }) => {
    if (reason === undefined) return [];
    const lost = [...tests, ...(cases.length === 0 ? [] : [`cases of ${cases.join(", ")}`])].join(", ");
    return [`${name}: ${lost} (${reason})`];
  });
}

/** The things that skipped tests lack, with their numbers; those of peers are listed with the peers. */
function lostTests(skipped: readonly ReportedTest[]): readonly string[] {
  const lacks = skipped.flatMap(({ meta }) => meta?.leftOut ?? []).filter((lack) => !lack.startsWith("peer: "));
  const counts = Map.groupBy(lacks, (lack) => lack);
  return Array.from(counts, ([lack, { length }]) => `${lack}: ${length} ${length === 1 ? "test" : "tests"}`).toSorted();
}
