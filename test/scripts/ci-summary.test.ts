import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { type PeerRecord, summarize, type TestReport } from "../../scripts/ci/summary.ts";

type Tests = Readonly<Record<string, "passed" | "failed" | "skipped" | { readonly leftOut: string }>>;

function report(name: string, tests: Tests): TestReport {
  const assertionResults = Object.entries(tests).map(([fullName, outcome]) =>
    typeof outcome === "string"
      ? { fullName, status: outcome, meta: {} }
      : { fullName, status: "skipped", meta: outcome },
  );
  const success = assertionResults.every(({ status }) => status !== "failed");
  return { success, testResults: [{ name: `/somewhere/${name}`, assertionResults }] };
}

const javaScript: PeerRecord = { name: "the client", tests: ["official.test.ts"], runtime: "JavaScript" };
const mono: PeerRecord = { name: "serializers", tests: ["mono.test.ts"], runtime: "Mono" };
const go: PeerRecord = { name: "Go's client", tests: ["go.test.ts"], cases: ["a.test.ts", "b.test.ts"], runtime: "Go" };
const both = [report("official.test.ts", { sends: "passed" }), report("mono.test.ts", { reads: "passed" })];

describe("the summary of a run", () => {
  it("passes with the official client, one other runtime, and a list of what was left out", () => {
    const more = report("suite.test.ts", {
      one: { leftOut: "vectors: a suite" },
      two: { leftOut: "vectors: a suite" },
      three: { leftOut: "peer: go" },
    });
    const passed = report("more.test.ts", { four: "passed" });
    const lost = { ...go, reason: "go is not on the path" };

    const { ran, leftOut, problems, ...counts } = summarize(
      [...both, { ...passed, testResults: [...passed.testResults, ...more.testResults] }],
      [javaScript, mono, lost, lost],
    );

    expect(counts).toEqual({ passed: 3, failed: 0 });
    expect(ran).toEqual(["JavaScript", "Mono"]);
    expect(leftOut).toEqual([
      "Go's client: go.test.ts, cases of a.test.ts, b.test.ts (go is not on the path)",
      "vectors: a suite: 2 tests",
    ]);
    expect(problems).toEqual([]);
  });

  it("fails for a test that is skipped without saying what it lacks", () => {
    const { problems } = summarize(
      [...both, report("x.test.ts", { one: "passed", two: "skipped" })],
      [javaScript, mono],
    );

    expect(problems).toEqual([expect.stringContaining("does not say what it lacks: two")]);
  });

  it("fails for a failed test, and for a report without a passed one", () => {
    const { failed, problems } = summarize([...both, report("x.test.ts", { one: "failed" })], [javaScript, mono]);

    expect(failed).toBe(1);
    expect(problems).toEqual([expect.stringContaining("not one of success"), expect.stringContaining("no passed one")]);
    expect(summarize([], [javaScript, mono]).problems).toContainEqual(expect.stringContaining("no passed one"));
  });

  it.each([
    [[mono], "The official client of JavaScript did not run."],
    [[javaScript], "No language or runtime besides JavaScript did run."],
    [[javaScript, go], "No language or runtime besides JavaScript did run."],
  ])("fails unless the official client and another runtime have run: %j", (peers, problem) => {
    expect(summarize(both, peers).problems).toEqual([problem]);
  });
});

describe("scripts/ci-summary.ts", () => {
  const script = fileURLToPath(new URL("../../scripts/ci-summary.ts", import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "sobre-summary-"));
  const path = (name: string): string => join(folder, name);
  afterAll(() => rmSync(folder, { recursive: true }));
  writeFileSync(path("peers"), `${JSON.stringify(javaScript)}\n${JSON.stringify(mono)}\n`);
  const run = (...more: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [script, ...more, path("peers"), path("0.json")], { encoding: "utf8" });
  both.forEach((one, index) => writeFileSync(path(`${index}.json`), JSON.stringify(one)));

  it("ends with the count alone on its line, below the list of what was left out", () => {
    const args = [script, path("peers"), path("0.json"), path("1.json"), path("missing.json")];

    const printed = execFileSync(process.execPath, args, { encoding: "utf8" });

    expect(printed).toBe(
      "Clients and runtimes that ran: JavaScript, Mono.\nNothing was left out.\n2 passed, 0 failed\n",
    );
  });

  it("fails with its reasons on the standard error, which it keeps to itself for an unfinished run", () => {
    expect(run()).toMatchObject({ status: 1, stderr: "No language or runtime besides JavaScript did run.\n" });
    expect(run("--unfinished")).toMatchObject({ stderr: "", stdout: expect.stringMatching(/\n1 passed, 0 failed\n$/) });
  });
});
